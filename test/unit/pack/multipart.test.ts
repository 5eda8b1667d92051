// What the class itself promises; that n8n's requests take it so is test/contract/pack/multipart.test.ts.
import { StreamedForm, type FilePart } from '../../../nodes/shared/transport/multipart.ts';

const file = (change: Partial<FilePart> = {}): FilePart => ({
	field: 'attachments[0]',
	fileName: 'contract.pdf',
	mimeType: 'application/pdf',
	size: 3,
	open: () => chunks('abc'),
	...change,
});

async function* chunks(...texts: string[]) {
	for (const text of texts) yield Buffer.from(text);
}

function fileOf(form: StreamedForm) {
	const [, value] = [...form].at(-1) ?? [];
	if (typeof value !== 'object') throw new Error('The form has no file.');
	return value;
}

async function read(stream: AsyncIterable<Uint8Array>): Promise<string> {
	let text = '';
	for await (const chunk of stream) text += Buffer.from(chunk).toString();
	return text;
}

it('is taken for a form by its tag, its iterator and `append`', () => {
	const form = new StreamedForm({}, []);
	expect(Object.prototype.toString.call(form)).toBe('[object FormData]');
	expect(typeof form.append).toBe('function');
	expect([...form]).toEqual([]);
	// A plain object would be copied on the way, and the copy is empty.
	expect(Object.getPrototypeOf(form)).not.toBe(Object.prototype);
});

it('gives fields first, then files, in order, as often as asked', () => {
	const form = new StreamedForm({ type: 'LS', body: '<p>Hi</p>' }, [
		file(),
		file({ field: 'attachments[1]' }),
	]);
	const names = ['type', 'body', 'attachments[0]', 'attachments[1]'];
	expect([...form].map(([name]) => name)).toEqual(names);
	expect([...form.entries()].map(([name]) => name)).toEqual(names);
	expect([...form].slice(0, 2)).toEqual([
		['type', 'LS'],
		['body', '<p>Hi</p>'],
	]);
});

it('describes a file as axios reads it', () => {
	expect(fileOf(new StreamedForm({}, [file()]))).toMatchObject({
		name: 'contract.pdf',
		type: 'application/pdf',
		size: 3,
	});
});

it('opens a file only when it is read, and again each time', async () => {
	const open = jest.fn(async () => chunks('a', 'bc'));
	const streamed = fileOf(new StreamedForm({}, [file({ open })]));
	const first = streamed.stream();
	expect(open).not.toHaveBeenCalled();
	expect(await read(first)).toBe('abc');
	expect(await read(streamed.stream())).toBe('abc');
	expect(open).toHaveBeenCalledTimes(2);
});

it('is handed over once each of its files was read to its end, and not while it is read again', async () => {
	const form = new StreamedForm({ type: 'LS' }, [file(), file({ open: () => chunks('a', 'b') })]);
	const [first, second] = [...form].slice(1).map(([, one]) => one as ReturnType<typeof fileOf>);
	await read(first.stream());
	expect(form.isHandedOver).toBe(false);
	const reading = second.stream()[Symbol.asyncIterator]();
	await reading.next();
	await reading.next();
	expect(form.isHandedOver).toBe(false);
	await reading.next();
	expect(form.isHandedOver).toBe(true);
	await first.stream()[Symbol.asyncIterator]().next();
	expect(form.isHandedOver).toBe(false);
	expect(new StreamedForm({ type: 'LS' }, []).isHandedOver).toBe(true);
});

it('passes on a failure to open', async () => {
	const open = async () => Promise.reject(new Error('gone'));
	await expect(read(fileOf(new StreamedForm({}, [file({ open })])).stream())).rejects.toThrow(
		'gone',
	);
});

it.each([
	['a.pdf', 'a.pdf'],
	['Bé "1" é😀.pdf', 'Bé "1" é😀.pdf'],
	['2026/03 report.pdf', '2026_03 report.pdf'],
	['C:\\docs\\a.pdf', 'C:_docs_a.pdf'],
	['a.pdf\\', 'a.pdf_'],
	['a\r\nX-Evil: 1.pdf', 'a__X-Evil: 1.pdf'],
	['a\0\x1b\x7f.pdf', 'a___.pdf'],
	['', 'file'],
])('names the file %j as %j, which any server can read', (fileName, name) => {
	expect(fileOf(new StreamedForm({}, [file({ fileName })])).name).toBe(name);
});

it('keeps control characters out of the type', () => {
	const { type } = fileOf(new StreamedForm({}, [file({ mimeType: 'text/plain\r\nX: 1' })]));
	expect(type).toBe('text/plain__X: 1');
});
