import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { sandboxState, type Trigger } from '../../support/sandbox.ts';
import { call, person, sendOne } from './client.ts';
import { readPdf } from './pdf.ts';

const DAY = 86_400_000;

const sandbox = useSandbox({ automatic: false });

const happens = (id: string, trigger: Trigger) =>
	sandbox.control('POST /messages/{id}/{trigger}', { id, trigger });

it.each(['1234567890', '12345678901', '1234567890123'])(
	'[READ-01][S] an id of another length than 12 (%s) is 422 fixedLength',
	async (id) => {
		const { status, json } = await call(sandbox, `/messages/${id}`);
		expect(status).toBe(422);
		expect(json).toEqual({
			errors: [{ field: 'id', rule: 'fixedLength', message: expect.any(String) }],
		});
	},
);

it('[READ-01][S] an id of 12 characters that are no digits is 422', async () => {
	const { status, json } = await call(sandbox, '/messages/12345678901a');
	expect([status, json.errors[0].field]).toEqual([422, 'id']);
});

it('[READ-03][S] an absent message and another account’s are both not found', async () => {
	const id = await sendOne(sandbox, {}, { as: 'reseller' });
	for (const path of [`/messages/${id}`, '/messages/999999999999']) {
		const { status, json } = await call(sandbox, path);
		expect(status).toBe(404);
		expect(json).toEqual({ message: expect.any(String), code: 'message-not-found' });
	}
});

it.each(['AES', 'MT'])(
	'[AES-04][AES-06][S] %s gives id, status and no evidence, whatever happened',
	async (type) => {
		const id = await sendOne(sandbox, { type });
		await happens(id, 'deliver');
		const { json } = await call(sandbox, `/messages/${id}`);
		expect(json).toEqual({ id, status: 'RECEIVED', evidences: [] });
	},
);

it('[READ-02][READ-04][EVID-04][S] a letter has signed evidences that are PDFs and expire', async () => {
	const id = await sendOne(sandbox, { type: 'LRE', ...person('accept') }, { certificate: true });
	await happens(id, 'deliver');
	await happens(id, 'accept');
	const { json } = await call(sandbox, `/messages/${id}`);
	expect(json).toMatchObject({ id, status: 'ACCEPTED' });
	expect(json.evidences.map(({ eventType }: { eventType: string }) => eventType)).toEqual([
		'SENT',
		'ACCEPTED',
	]);
	const { url } = json.evidences[1];
	const pdf = await call(sandbox, url, { as: null });
	expect([pdf.status, pdf.headers['content-type']]).toEqual([200, 'application/pdf']);
	expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
	expect(pdf.bytes.subarray(-6).toString()).toContain('%%EOF');
	// The same file each time.
	expect((await call(sandbox, url, { as: null })).bytes).toEqual(pdf.bytes);

	const forged = url.replace(`/${id}/`, `/${id.replace(/^./, (d: string) => String(9 - +d))}/`);
	expect((await call(sandbox, forged, { as: null })).status).toBe(404);
	await sandbox.control.advance(DAY);
	expect((await call(sandbox, url, { as: null })).status).toBe(404);
});

it('[EVID-04][S] the PDF names message, event, time and recipient, whatever letters its fonts lack', async () => {
	const recipients = [{ email: 'yulia@mail.example', firstname: 'Юлия', lastname: 'Łukasz' }];
	const id = await sendOne(sandbox, { recipients });
	const { json } = await call(sandbox, `/messages/${id}/evidences/SENT`);
	const pdf = await call(sandbox, json.url, { as: null });
	const { messages } = await sandboxState(sandbox);
	const sentAt = messages.find((message) => message.id === id)?.sentAt;
	const { text, subject } = await readPdf(pdf.bytes);
	for (const part of [id, 'SENT', sentAt, '???? ?ukasz <yulia@mail.example>'])
		expect(text).toContain(part);
	expect(subject).toBe('Юлия Łukasz <yulia@mail.example>');
});

describe('GET /messages/{id}/evidences/{status}', () => {
	const evidence = (id: string, status: string, options = {}) =>
		call(sandbox, `/messages/${id}/evidences/${status}`, options);

	it.each<[string, Trigger, string[]]>([
		['LS', 'open', ['SENT', 'RECEIVED']],
		['LRE', 'accept', ['SENT', 'ACCEPTED']],
		['LRE', 'refuse', ['SENT', 'REFUSED']],
		['LS', 'expire', ['SENT', 'EXPIRED']],
		['AS', 'bounce', ['SENT', 'UNDELIVERED']],
	])(
		'[EVID-01][EVID-02][S] %s after %s has links for %j, and 404 for any other',
		async (type, trigger, present) => {
			const id = await sendOne(sandbox, { type }, { certificate: type === 'LRE' });
			await happens(id, trigger);
			const types = ['SENT', 'RECEIVED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'UNDELIVERED'];
			const found = [];
			for (const eventType of types) {
				const { status, json } = await evidence(id, eventType);
				if (status === 200) found.push(eventType);
				else expect([status, json.code]).toEqual([404, 'message-not-found']);
				if (status !== 200) continue;
				expect(json).toEqual({ url: expect.stringMatching(/^https:.*signature=/) });
				const pdf = await call(sandbox, json.url, { as: null });
				expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
			}
			expect(found).toEqual(present);
		},
	);

	it('[EVID-02][S] is 404 when more than one exists for the status', async () => {
		const id = await sendOne(sandbox, { type: 'LS' });
		await happens(id, 'bounce');
		expect((await evidence(id, 'UNDELIVERED')).status).toBe(200);
		await happens(id, 'deliver');
		await happens(id, 'bounce');
		const { status, json } = await evidence(id, 'UNDELIVERED');
		expect([status, json.code]).toEqual([404, 'message-not-found']);
	});

	it.each(['AES', 'MT'])('[AES-07][AES-04][S] %s is 422 aes-has-no-evidence', async (type) => {
		const id = await sendOne(sandbox, { type });
		const { status, json } = await evidence(id, 'SENT');
		expect([status, json]).toEqual([
			422,
			{ code: 'aes-has-no-evidence', message: expect.any(String) },
		]);
	});

	it('[EVID-01][READ-01][READ-03][AUTH-01][S] judges id, status and caller', async () => {
		const id = await sendOne(sandbox, {});
		const status = await evidence(id, 'OPENED');
		expect([status.status, status.json.errors[0].field]).toEqual([422, 'status']);
		expect((await evidence('123', 'SENT')).json.errors[0].rule).toBe('fixedLength');
		expect((await evidence('999999999999', 'SENT')).status).toBe(404);
		expect((await evidence(id, 'SENT', { as: 'reseller' })).status).toBe(404);
		expect((await evidence(id, 'SENT', { as: null })).status).toBe(401);
	});
});
