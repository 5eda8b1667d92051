// How letters go out, and which answer says that they did.
import { contentKey, type Letter, type LetterEntry } from '../../../nodes/SendLetter/letter.ts';
import { sendPosting } from '../../../nodes/SendLetter/send.operation.ts';
import { totalSize, type StoredFile } from '../../../nodes/shared/sending/attachments.ts';
import { StreamedForm } from '../../../nodes/shared/transport/multipart.ts';

const requestOf = (letter: Letter) => sendPosting.request([{ itemIndex: 0, letter }]);

const [ADA, BEN, EVE] = ['ada', 'ben', 'eve'].map((name) => ({
	email: `${name}@example.com`,
	company: name,
}));

function file(change: Partial<StoredFile> = {}): StoredFile {
	return {
		field: 'attachments[0]',
		fileName: 'a.pdf',
		mimeType: 'application/pdf',
		size: 3,
		origin: 'sha-1',
		open: () => Promise.reject(new Error('not now')),
		...change,
	};
}

function letter(change: Partial<Letter> = {}): Letter {
	const fields = { type: 'LS', body: '<p>Hi</p>' };
	return { fields, recipients: [ADA], attachments: [], ...change };
}

const entry = (change: Partial<Letter> = {}, itemIndex = 0): LetterEntry => ({
	itemIndex,
	letter: letter(change),
});

describe('which letters may share a request', () => {
	const key = (change: Partial<Letter>) => contentKey(letter(change));

	it('those that differ in their recipients alone, whatever the order of their fields', () => {
		expect(key({ recipients: [BEN, EVE] })).toBe(key({}));
		expect(key({ fields: { body: '<p>Hi</p>', type: 'LS' } })).toBe(key({}));
		expect(key({ attachments: [file({ field: 'x' })] })).toBe(key({ attachments: [file()] }));
	});

	it.each<[string, Partial<Letter>]>([
		['another type', { fields: { type: 'AS', body: '<p>Hi</p>' } }],
		['another body', { fields: { type: 'LS', body: '<p>Ho</p>' } }],
		['a reference', { fields: { type: 'LS', body: '<p>Hi</p>', fileReference: 'F' } }],
		['no file', { attachments: [] }],
		['another file name', { attachments: [file({ fileName: 'b.pdf' })] }],
		['another kind of file', { attachments: [file({ mimeType: 'text/plain' })] }],
		['another size', { attachments: [file({ size: 4 })] }],
		['other bytes', { attachments: [file({ origin: 'sha-2' })] }],
		['two files', { attachments: [file(), file()] }],
	])('not those with %s', (_, change) => {
		expect(key({ attachments: [file()], ...change })).not.toBe(key({ attachments: [file()] }));
	});
});

describe('[SEND-01][N] the request', () => {
	it('[SEND-09][N] with files is a form, its recipients by number, and has the time to be uploaded', async () => {
		const fields = { type: 'LS', body: '<p>Hi</p>', includeSenderLogo: true };
		const attachments = [file(), file({ field: 'attachments[1]', size: 4 })];
		const request = requestOf(letter({ fields, recipients: [ADA, BEN], attachments }));
		expect(request).toMatchObject({ method: 'POST', path: '/messages/bulk_send' });
		expect(request.body).toBeInstanceOf(StreamedForm);
		const parts = [...(request.body as StreamedForm)];
		const texts = parts.filter(([, { name }]) => name === undefined);
		expect(await Promise.all(texts.map(async ([name, text]) => [name, await read(text)]))).toEqual([
			['type', 'LS'],
			['body', '<p>Hi</p>'],
			['includeSenderLogo', 'true'],
			['recipients[0].email', 'ada@example.com'],
			['recipients[0].company', 'ada'],
			['recipients[1].email', 'ben@example.com'],
			['recipients[1].company', 'ben'],
		]);
		expect(parts.slice(-2).map(([name]) => name)).toEqual(['attachments[0]', 'attachments[1]']);
		const small = requestOf(letter({ attachments: [file({ size: 0 })] })).timeout ?? 0;
		const large = requestOf(letter({ attachments: [file({ size: 10 ** 9 })] })).timeout ?? 0;
		expect(large).toBeGreaterThan(small);
		expect(totalSize(attachments)).toBe(7);
	});
});

async function read({ stream }: { stream(): AsyncIterable<Uint8Array> }): Promise<string> {
	let text = '';
	for await (const chunk of stream()) text += Buffer.from(chunk).toString();
	return text;
}

describe('[SEND-01][N] the answer', () => {
	const ids = (...all: unknown[]) => ({ messages: all.map((id) => ({ id })) });
	const [ONE, TWO, THREE] = ['000000000001', '000000000002', '000000000003'];

	it('is split among the entries, each message with its recipient', () => {
		const fields = { type: 'LRE', body: '<p>Hi</p>', fileReference: 'F', customerReference: 'C' };
		const entries = [entry({ fields }), entry({ recipients: [BEN, EVE] }, 1)];
		expect(sendPosting.read(201, { ...ids(ONE, 2, THREE), extra: 'kept' }, entries)).toEqual([
			{
				messageId: ONE,
				type: 'LRE',
				fileReference: 'F',
				customerReference: 'C',
				extra: 'kept',
				messages: [{ id: ONE, email: 'ada@example.com' }],
			},
			{
				type: 'LS',
				fileReference: null,
				customerReference: null,
				extra: 'kept',
				messages: [
					{ id: TWO, email: 'ben@example.com' },
					{ id: THREE, email: 'eve@example.com' },
				],
			},
		]);
	});

	it('with an id that is none among others says nothing either', () => {
		const entries = [entry({ recipients: [ADA, BEN] })];
		expect(sendPosting.read(201, ids(ONE, TWO), entries)).not.toBeNull();
		expect(sendPosting.read(201, ids(ONE, 'soon'), entries)).toBeNull();
	});

	it('with one id for two recipients says nothing: it may be one letter', () => {
		expect(sendPosting.read(201, ids(ONE, ONE), [entry({ recipients: [ADA, BEN] })])).toBeNull();
		const two = [entry(), entry({ recipients: [BEN] }, 1)];
		expect(sendPosting.read(201, ids(1, ONE), two)).toBeNull();
	});

	it.each<[string, number, unknown]>([
		['another status', 200, ids(ONE)],
		['no object', 201, [ids(ONE)]],
		['no messages', 201, {}],
		['messages that are no list', 201, { messages: { length: 1 } }],
		['too few', 201, ids()],
		['too many', 201, ids(ONE, TWO)],
		['an id that is none', 201, ids('soon')],
		['a message without an id', 201, { messages: [{}] }],
		['a message that is no object', 201, { messages: [ONE] }],
	])('that shows %s says nothing about what was sent', (_, status, body) => {
		expect(sendPosting.read(status, body, [entry()])).toBeNull();
	});
});

it('[SEND-11][N] a letter is as many rows as it has recipients, numbered where there are several', () => {
	expect(sendPosting.rows?.(entry())).toEqual([{ email: 'ada@example.com' }]);
	expect(sendPosting.rows?.(entry({ recipients: [ADA, BEN] }))).toEqual([
		{ email: 'ada@example.com', recipient: 0 },
		{ email: 'ben@example.com', recipient: 1 },
	]);
});
