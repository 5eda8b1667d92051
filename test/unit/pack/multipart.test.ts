// When a form counts as handed over; that n8n's requests take it so is test/contract/pack/multipart.test.ts.
import { StreamedForm, type FilePart } from '../../../nodes/shared/transport/multipart.ts';

const file = (...texts: string[]): FilePart => ({
	field: 'attachments[0]',
	fileName: 'contract.pdf',
	mimeType: 'application/pdf',
	size: 3,
	async *open() {
		for (const text of texts) yield Buffer.from(text);
	},
});

it('is handed over once each of its files was read to its end, and not while it is read again', async () => {
	const form = new StreamedForm({ type: 'LS' }, [file('abc'), file('a', 'b')]);
	const [first, second] = [...form]
		.slice(1)
		.map(([, part]) => part as unknown as { stream(): AsyncIterable<Uint8Array> });
	for await (const chunk of first.stream()) expect(chunk).toHaveLength(3);
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

it.each<[Partial<FilePart>, object]>([
	[{ mimeType: 'text/plain\r\nX: 1' }, { type: 'text/plain__X: 1' }],
	[{ fileName: 'a/b\\c\n.pdf' }, { name: 'a_b_c_.pdf' }],
	[{ fileName: '' }, { name: 'file' }],
])('keeps out of the header of a part what would break it: %j', (given, told) => {
	const [[, part]] = [...new StreamedForm({}, [{ ...file(), ...given }])];
	expect(part).toMatchObject(told);
});
