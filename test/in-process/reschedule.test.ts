// Send Letter: moving scheduled letters, and calling them off.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { readers, sendLetters } from '../support/letters.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import { runAt, useStrictSandbox, useStub, type AtService } from './services.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

const sandbox = useStrictSandbox();
const stub = useStub();

const run = (parameters: object, options?: AtService) =>
	runAt(sandbox, new SendLetter(), parameters, options);
const withStub = () => ({ credential: stub.credential });

async function schedule(count = 1, scheduledAt: string | undefined = inFuture(day)) {
	const { items } = await sendLetters(serviceCredential(sandbox, 'direct'), {
		parameters: {
			recipientsJson: readers(count).map(({ json: { email } }) => {
				return { email, firstname: 'A', lastname: 'B' };
			}),
		},
		options: { ...(scheduledAt && { scheduledAt }) },
	});
	return (items[0].json.messages as Array<{ id: string }>).map(({ id }) => id);
}

const messages = async () => (await sandboxState(sandbox)).messages;
const requests = async () =>
	(await sandboxState(sandbox)).requests.filter(
		({ path }) => path.includes('/bulk_') && !path.endsWith('send'),
	);

it('[SCHD-05][SCHD-01][N] moves scheduled letters to another time, meant in the workflow’s zone', async () => {
	const ids = await schedule(2);
	const moment = Math.floor((Date.now() + 3 * day) / 1000) * 1000;
	const scheduledAt = new Date(moment)
		.toLocaleString('sv', { timeZone: 'Europe/Brussels' })
		.replace(' ', 'T');
	const { items, error } = await run({
		operation: 'reschedule',
		messageIds: ids.join(','),
		scheduledAt,
	});
	expect(error).toBeUndefined();
	expect(items).toMatchObject(
		ids.map((messageId) => ({ json: { messageId }, pairedItem: { item: 0 } })),
	);
	for (const message of await messages()) {
		expect(message.status).toBe('SCHEDULED');
		expect(new Date(message.scheduledAt ?? 0).getTime()).toBe(moment);
	}
});

it('[SCHD-01][SCHD-05][N] sends the ids and a time with an offset, as JSON', async () => {
	stub.answer = () => ({ status: 204 });
	const { items } = await run(
		{ operation: 'reschedule', messageIds: '000000000001', scheduledAt: '2026-01-01T00:00:00' },
		withStub(),
	);
	expect(items).toEqual([]);
	const scheduledAt = new Date(Date.now() + day).toISOString().slice(0, 19);
	const sent = await run(
		{ operation: 'reschedule', messageIds: '000000000001', scheduledAt },
		withStub(),
	);
	const body = JSON.parse(stub.requests[0].body) as { ids: string[]; scheduledAt: string };
	expect(stub.requests).toMatchObject([{ method: 'POST', path: '/messages/bulk_reschedule' }]);
	expect(body.ids).toEqual(['000000000001']);
	expect(body.scheduledAt).toMatch(/^\d{4}-.*(Z|[+-]\d\d:\d\d)$/);
	// An empty answer still says what was asked for.
	expect(sent.items[0].json).toEqual({
		messageId: '000000000001',
		scheduledAt: body.scheduledAt,
	});
});

it('[SCHD-05][N] cancels scheduled letters', async () => {
	const ids = await schedule(2);
	const { items, error } = await run({ operation: 'cancel', messageIds: ids.join(',') });
	expect(error).toBeUndefined();
	expect(items).toMatchObject(
		ids.map((messageId) => ({ json: { messageId, cancelled: true }, pairedItem: { item: 0 } })),
	);
	await sandbox.control.advance(2 * day);
	expect((await messages()).map(({ sentAt }) => sentAt)).toEqual([null, null]);
});

it('says which row ended a run, and how many were changed before', async () => {
	const [id] = await schedule();
	const items = [id, '000000000099', id].map((one) => ({ json: { id: one } }));
	const { error } = await run({ operation: 'cancel', messageIds: '={{ $json.id }}' }, { items });
	expect(error?.message).toContain('(message-not-found)');
	expect(error?.description).toMatch(/\nRow 2 ended the run: of 3 rows, 1 was carried out\.$/);
	// n8n's panel would add "[item 1]" to the message.
	expect(error?.context).not.toHaveProperty('itemIndex');
});

it('[SCHD-05][N] passes on an answer of any shape', async () => {
	stub.answer = () => ({ body: ['000000000001'] });
	const { items } = await run({ operation: 'cancel', messageIds: '000000000001' }, withStub());
	expect(items[0].json).toEqual({
		messageId: '000000000001',
		cancelled: true,
		answer: ['000000000001'],
	});
});

it.each(['reschedule', 'cancel'])(
	'[SCHD-05][AUTH-06][N] %s tells of a letter that has left, and of one that is not there',
	async (operation) => {
		const [scheduled] = await schedule(1);
		const [sent] = await schedule(1, '');
		const scheduledAt = inFuture(2 * day);
		const late = await run({ operation, messageIds: [scheduled, sent].join(','), scheduledAt });
		expect(late.error?.message).toMatch(/is not scheduled: it is SENT/);
		const missing = await run({ operation, messageIds: '000000000000', scheduledAt });
		expect(missing.error?.message).toContain('(message-not-found)');
	},
);

it.each(['reschedule', 'cancel'])(
	'[READ-01][SCHD-05][N] %s refuses what is no message ID before any request',
	async (operation) => {
		const { error } = await run({
			operation,
			messageIds: '../customers',
			scheduledAt: inFuture(day),
		});
		expect(error?.message).toMatch(/^Message IDs: "..\/customers" is not a message ID/);
		expect(await requests()).toEqual([]);
	},
);
