import { GetStatus } from '../../nodes/GetStatus/GetStatus.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { HeldAnswers } from '../support/held-answers.ts';
import { runNode } from '../support/n8n-core.ts';
import { control, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { useStrictSandbox, useStub } from './services.ts';

const sandbox = useStrictSandbox();
const stub = useStub();

const credentials = (account = 'direct', change = {}) => ({
	registeredDeliveryApi: serviceCredential(sandbox, account, change),
});

async function sendLetter(type: string): Promise<string> {
	const { items } = await runNode(new SendLetter(), {
		parameters: {
			type,
			body: '<p>Hello there</p>',
			recipientsFrom: 'json',
			recipientsJson: [{ email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' }],
		} as never,
		credentials: credentials(),
	});
	return String(items[0].json.messageId);
}

const get = (messageId: unknown, account?: string, change?: object, simplify = false) =>
	runNode(new GetStatus(), {
		parameters: { messageId: messageId as string, simplify },
		credentials: credentials(account, change),
	});

it('[READ-02][READ-05][N] gives status and evidence of a registered letter, with the certificate', async () => {
	const id = await sendLetter('LRE');
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
	const id = await sendLetter('LRE');
	const { items } = await get(id, 'direct', { clientCertificate: '', clientKey: '' });
	expect(items[0].json).toMatchObject({ id, status: 'SENT' });
	expect((await sandboxState(sandbox)).requests.at(-1)).toMatchObject({
		clientCertificate: false,
	});
});

it('[AES-06][N] gives id, status and no evidence of tracked mail', async () => {
	const id = await sendLetter('AES');
	const { items } = await get(id);
	expect(items[0].json).toEqual({ messageId: id, id, status: 'SENT', evidences: [] });
});

it('[READ-02][READ-06][N] in short: status, kinds of evidence, and whether more may come', async () => {
	const id = await sendLetter('LRE');
	await control(sandbox, 'POST', `/messages/${id}/accept`);
	const { items } = await get(id, 'direct', {}, true);
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
	const { items, error } = await runNode(new GetStatus(), {
		parameters: { messageId: '={{ $json.id }}', options: { concurrency: 3 } },
		credentials: { registeredDeliveryApi: stub.credential as never },
		items: ids.map((id) => ({ json: { id } })),
	});
	expect(error).toBeUndefined();
	expect(items.map(({ json, pairedItem }) => [json.messageId, pairedItem])).toEqual(
		ids.map((id, item) => [id, { item }]),
	);
	expect(held.peak).toBe(3);
});

it('[READ-02][N] several letters give one item each, paired', async () => {
	const ids = [await sendLetter('LS'), '000000000000', await sendLetter('AES')];
	const { items } = await runNode(new GetStatus(), {
		parameters: { messageId: '={{ $json.id }}' },
		credentials: credentials(),
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
	const id = await sendLetter('LS');
	for (const { error } of [await get('000000000000'), await get(id, 'token-only')]) {
		expect(error?.message).toContain('(message-not-found)');
		expect(error?.description).toContain('Check the message ID');
	}
});

describe('answers that the sandbox never gives', () => {
	const id = '000000000123';
	const answered = async (body: unknown, parameters: object = {}) => {
		stub.answer = () => ({ body });
		return await runNode(new GetStatus(), {
			parameters: { messageId: id, ...parameters },
			credentials: { registeredDeliveryApi: stub.credential },
		});
	};
	const message = { id, status: 'NEW', evidences: [], type: 'LRE' };

	it.each<[string, unknown]>([
		['a sign-in page', '<h1>Sign in</h1>'],
		['JSON cut off', '{"id":"000000000123","sta'],
		['nothing', ''],
		['another message', { ...message, id: '000000000124' }],
		['no status', { ...message, status: null }],
		['no evidences', { ...message, evidences: undefined }],
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
