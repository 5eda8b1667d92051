import type { IDataObject } from 'n8n-workflow';

import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { control, sandboxState } from '../support/sandbox.ts';
import { runAt, sendOne, useStrictSandbox, useStub, type AtService } from './services.ts';

const sandbox = useStrictSandbox();
const stub = useStub();

const get = (messageId: string, options?: AtService, more: object = { simplify: false }) =>
	runAt(sandbox, new GetStatus(), { messageId, ...more }, options);

it('[READ-02][READ-05][N] gives status and evidence of a registered letter, with the certificate', async () => {
	const id = await sendOne(sandbox, 'LRE');
	const { items } = await get(id);
	expect(items).toMatchObject([
		{
			json: {
				id,
				status: 'SENT',
				evidences: [{ eventType: 'SENT', url: expect.stringContaining('http') }],
			},
			pairedItem: { item: 0 },
		},
	]);
	expect((await sandboxState(sandbox)).requests.at(-1)).toMatchObject({ clientCertificate: true });
});

it('[READ-05][AUTH-04][N] reads with the token alone', async () => {
	const id = await sendOne(sandbox, 'LRE');
	const { items } = await get(id, { change: { clientCertificate: '', clientKey: '' } });
	expect(items[0].json).toMatchObject({ id, status: 'SENT' });
	expect((await sandboxState(sandbox)).requests.at(-1)).toMatchObject({
		clientCertificate: false,
	});
});

it('[AES-06][N] gives id, status and no evidence of tracked mail', async () => {
	const id = await sendOne(sandbox, 'AES');
	const { items } = await get(id);
	expect(items[0].json).toEqual({ messageId: id, id, status: 'SENT', evidences: [] });
});

it('[READ-02][READ-06][N] in short: status, kinds of evidence, and whether more may come', async () => {
	const id = await sendOne(sandbox, 'LRE');
	await control(sandbox, 'POST', `/messages/${id}/accept`);
	const { items } = await get(id, {}, { simplify: true });
	const evidenceTypes = ['SENT', 'ACCEPTED'];
	expect(items[0].json).toEqual({ messageId: id, status: 'ACCEPTED', final: true, evidenceTypes });
});

it('[READ-02][N] several are read at the same time, as many as wanted, and come out in order', async () => {
	const ids = Array.from({ length: 8 }, (_, index) => String(index).padStart(12, '0'));
	const held = new HeldAnswers({ others: ids.length - 1, wanted: 3 });
	stub.answer = async ({ path }) => {
		const id = path.split('/').at(-1);
		return await held.pass(id === ids[0], { body: { id, status: 'SENT', evidences: [] } });
	};
	const { items, error } = await get(
		'={{ $json.id }}',
		{ credential: stub.credential, items: ids.map((id) => ({ json: { id } })) },
		{ options: { concurrency: 3 } },
	);
	expect(error).toBeUndefined();
	expect(items.map(({ json, pairedItem }) => [json.messageId, pairedItem])).toEqual(
		ids.map((id, item) => [id, { item }]),
	);
	expect(held.peak).toBe(3);
});

it('[READ-02][N] after the first that fails no more are asked for', async () => {
	stub.answer = () => ({ status: 404, body: { message: 'No', code: 'message-not-found' } });
	const items = ['000000000001', '000000000002', '000000000003'].map((id) => ({ json: { id } }));
	const { error } = await get(
		'={{ $json.id }}',
		{ credential: stub.credential, items },
		{ options: { concurrency: 1 } },
	);
	expect(error?.message).toContain('(message-not-found)');
	expect(stub.requests).toHaveLength(1);
});

it('[READ-02][N] several letters give one item each, paired', async () => {
	const ids = [await sendOne(sandbox, 'LS'), '000000000000', await sendOne(sandbox, 'AES')];
	const { items } = await get('={{ $json.id }}', {
		items: ids.map((id) => ({ json: { id } })),
		onError: 'continueRegularOutput',
	});
	expect(items).toMatchObject([
		{ json: { messageId: ids[0], status: 'SENT' }, pairedItem: { item: 0 } },
		{ json: { error: expect.stringContaining('message-not-found') }, pairedItem: { item: 1 } },
		{ json: { messageId: ids[2], status: 'SENT' }, pairedItem: { item: 2 } },
	]);
});

it('[READ-03][AUTH-06][N] a letter that is not there, or not ours', async () => {
	const id = await sendOne(sandbox, 'LS');
	for (const { error } of [await get('000000000000'), await get(id, { account: 'token-only' })]) {
		expect(error?.message).toContain('(message-not-found)');
		expect(error?.description).toContain('Check the message ID');
	}
});

describe('the message ID', () => {
	const all = async (...values: unknown[]) => {
		stub.answer = ({ path }) => ({
			body: { id: path.split('/').at(-1), status: 'SENT', evidences: [] },
		});
		const { items } = await get('={{ $json.id }}', {
			credential: stub.credential,
			items: values.map((id) => ({ json: { id } as IDataObject })),
			onError: 'continueRegularOutput',
		});
		return items.map(({ json }) => json.messageId ?? json.error);
	};

	it('[READ-01][N] is 12 digits, or the number that a spreadsheet makes of them', async () => {
		const given = ['000000000001', ' 123456789012\n', 123456789012, 1, 0];
		expect(await all(...given)).toEqual([
			'000000000001',
			'123456789012',
			'123456789012',
			'000000000001',
			'000000000000',
		]);
	});

	it('[READ-01][N] is nothing else, and nothing is asked then', async () => {
		const none = ['', ' ', null, '12345678901', '1234567890123', '12345678901a', '1234 5678 9012'];
		const odd = [
			'１２３４５６７８９０１２',
			1e12,
			-1,
			1.5,
			true,
			['123456789012'],
			{ id: '123456789012' },
		];
		for (const error of await all(...none, ...odd))
			expect(error).toMatch(/Message ID: .*(empty|12 digits)/);
		expect(stub.requests).toEqual([]);
	});
});

describe('answers that the sandbox never gives', () => {
	const id = '000000000123';
	const answered = async (body: unknown, parameters: object = {}) => {
		stub.answer = () => ({ body });
		return await get(id, { credential: stub.credential }, parameters);
	};
	const message = { id, status: 'NEW', evidences: [], type: 'LRE' };

	it.each<[string, string[], boolean | null]>([
		...['ACCEPTED', 'REFUSED', 'EXPIRED', 'OPENED'].map((status): [string, string[], boolean] => [
			status,
			[],
			true,
		]),
		['SCHEDULED', [], false],
		['UNDELIVERED', ['UNDELIVERED'], false],
		// A simple letter has evidence of it, and tracked mail never has any.
		['RECEIVED', ['SENT', 'RECEIVED', 'SENT'], true],
		['RECEIVED', ['SENT'], false],
		['HELD', ['RECEIVED'], null],
	])('[READ-06][N] %s with evidence of %j is final: %s', async (status, types, final) => {
		const evidences = types.map((eventType) => ({ eventType, url: 'https://x.example/1' }));
		const { items } = await answered({ id, status, evidences }, { simplify: true });
		const evidenceTypes = [...new Set(types)];
		expect(items[0].json).toEqual({ messageId: id, status, final, evidenceTypes });
	});

	it.each<[string, unknown]>([
		['a sign-in page', '<h1>Sign in</h1>'],
		['JSON cut off', '{"id":"000000000123","sta'],
		['nothing', ''],
		['another message', { ...message, id: '000000000124' }],
		['no status', { ...message, status: null }],
		['no evidences', { ...message, evidences: undefined }],
		['evidence without a link', { ...message, evidences: [{ eventType: 'SENT' }] }],
	])('[READ-02][N] %s is no status', async (_title, body) => {
		for (const simplify of [true, false]) {
			const { error, items } = await answered(body, { simplify });
			expect(items).toEqual([]);
			expect(error?.message).toMatch(
				/^The service returned an unexpected response: .* instead of the requested message/,
			);
			expect(error?.description).toContain('sign-in page');
		}
	});
});
