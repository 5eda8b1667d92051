import { createPrivateKey } from 'node:crypto';

import type { Execution } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startFileServer, type FileServer } from './file-server.ts';
import { createPfx } from './pfx.ts';
import { countSendRequests, sandboxState } from '../support/sandbox.ts';
import { leaks, pemLines, secretsOf, traces } from './secrets.ts';
import { getStatus, itemsFrom, saveChain, sendLetter, START, to } from './workflows.ts';

jest.setTimeout(120_000);

const PASSPHRASE = ' a passphrase, spaces and all ';

let stack: Stack;
let files: FileServer;
let account: { certificate: string; key: string };
let encryptedKey: string;

beforeAll(async () => {
	files = await startFileServer();
	stack = await startTemporaryStack();
	const direct = stack.sandbox.accounts.find(({ name }) => name === 'direct');
	account = { certificate: direct?.certificate ?? '', key: direct?.key ?? '' };
	encryptedKey = String(
		createPrivateKey(account.key).export({
			type: 'pkcs8',
			format: 'pem',
			cipher: 'aes-256-cbc',
			passphrase: PASSPHRASE,
		}),
	);
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await files?.close();
}, 120_000);

const GOOD = { body: '<p>Dear reader</p>', attachments: '', messageId: '' };

/** Items, the wrong ones each wrong in their own way, with the expected message. */
const LETTERS = [
	{ item: GOOD, wrong: null },
	{ item: { ...GOOD, body: '' }, wrong: 'Body' },
	{ item: { ...GOOD, attachments: 'data, more' }, wrong: 'Attachment Fields' },
	{ item: { ...GOOD, attachments: 'contract' }, wrong: 'Attachment Fields' },
	{ item: GOOD, wrong: null },
];

const perItem = {
	type: 'AES',
	body: '={{ $json.body }}',
	attachmentFields: '={{ $json.attachments }}',
	...to('never@recipients.example'),
};

const CONTINUE = { onError: 'continueRegularOutput' };

const errorOf = (item: { json: Record<string, unknown> }) => item.json.error as string | undefined;

describe('wrong items', () => {
	it('[AES-02][SEND-04][N] with Continue On Fail become error items of their own; the others go out', async () => {
		const before = await countSendRequests(stack.sandbox);
		const execution = await runLetters('Letters that go on', CONTINUE);
		expect(execution.status).toBe('success');
		const output = execution.output['Send Letter'];
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			LETTERS.map((_, item) => ({ item })),
		);
		for (const [index, { wrong }] of LETTERS.entries()) {
			if (wrong === null) {
				expect(output[index].json.messageId).toMatch(/^\d{12}$/);
			} else {
				expect(errorOf(output[index])).toContain(wrong);
				expect(errorOf(output[index])).toMatch(
					new RegExp(`^Row ${index + 1} of |\\[row ${index + 1}\\]`),
				);
			}
		}
		expect((await countSendRequests(stack.sandbox)) - before).toBe(2);
	});

	it('[AES-02][SEND-04][N] without it stop the node before anything was sent', async () => {
		const before = await countSendRequests(stack.sandbox);
		const { status, error } = await runLetters('Letters that stop', {});
		expect(status).toBe('error');
		expect(error?.message).toContain('Body');
		expect(error?.message).toMatch(/^Row 2 of /);
		expect(await countSendRequests(stack.sandbox)).toBe(before);
	});

	it('[READ-01][N] an id of 11 digits is no request; the items beside it are read', async () => {
		const sent = await runLetters('Letters to read', CONTINUE);
		const known = String(sent.output['Send Letter'][0].json.messageId);
		const items = [{ id: known }, { id: '12345678901' }, { id: known }];
		const before = (await sandboxState(stack.sandbox)).requests.length;
		const execution = await stack.api.run(
			await saveChain(stack, 'Statuses', [
				START,
				itemsFrom(files.itemsUrl(items)),
				getStatus('={{ $json.id }}', CONTINUE),
			]),
		);
		const output = execution.output['Get Status'];
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(output[0].json.messageId).toBe(known);
		expect(errorOf(output[1])).toContain('Message ID');
		expect(errorOf(output[1])).toMatch(/^Row 2 of 3: /);
		expect(output[2].json.messageId).toBe(known);
		const { requests } = await sandboxState(stack.sandbox);
		expect(requests.slice(before).map(({ path }) => path)).toEqual(
			Array(2).fill(`/messages/${known}`),
		);
	});

	async function runLetters(name: string, more: object): Promise<Execution> {
		return await stack.api.run(
			await saveChain(stack, name, [
				START,
				itemsFrom(files.itemsUrl(LETTERS.map(({ item }) => item))),
				sendLetter(perItem, more),
			]),
		);
	}
});

describe('a credential that cannot work fails each item, before any request', () => {
	it.each([
		['[AUTH-02][N] an http address', 'LS', { baseUrl: 'http://localhost:1' }, 'Base URL'],
		['[AUTH-03][N] a certificate without its key', 'LS', { clientKey: '' }, 'Client Key'],
		[
			'[TYPE-01][N] no certificate, for a registered letter',
			'LRE',
			{ clientCertificate: '', clientKey: '' },
			'Client Certificate',
		],
	])('%s', async (title, type, change, named) => {
		const before = (await sandboxState(stack.sandbox)).requests.length;
		const run = async (more: object) =>
			await stack.api.run(
				await saveChain(
					stack,
					`${title} ${JSON.stringify(more)}`.slice(0, 120),
					[START, sendLetter({ type, ...to('never@recipients.example') }, more)],
					change,
				),
			);
		const stopped = await run({});
		expect(stopped.status).toBe('error');
		expect(stopped.error?.message).toContain(named);

		const [item] = (await run(CONTINUE)).output['Send Letter'];
		expect(errorOf(item)).toContain(named);
		expect(item.pairedItem).toEqual({ item: 0 });
		expect((await sandboxState(stack.sandbox)).requests).toHaveLength(before);
	});
});

describe("the credential's test in the editor", () => {
	async function tested(change: object): Promise<{ status: string; message: string }> {
		const data = stack.serviceCredential('direct', change);
		const name = 'Tested';
		const id = await stack.api.saveCredential(name, 'registeredDeliveryApi', data);
		const result = await stack.api.testCredential(id, name, 'registeredDeliveryApi', data);
		for (const secret of [...secretsOf(stack), PASSPHRASE]) {
			expect(result.message).not.toContain(secret);
		}
		return result;
	}

	it('[AUTH-01][AUTH-03][N] works: with PEM, with an encrypted key, with PFX, with the token alone', async () => {
		const pfx = createPfx(account.certificate, account.key, PASSPHRASE);
		const ways = [
			{},
			{ clientKey: encryptedKey, passphrase: PASSPHRASE },
			{ clientCertificate: '', clientKey: '', pfx, passphrase: PASSPHRASE },
			{ clientCertificate: '', clientKey: '' },
		];
		const before = (await sandboxState(stack.sandbox)).requests.length;
		for (const way of ways) expect(await tested(way)).toMatchObject({ status: 'OK' });
		const { requests } = await sandboxState(stack.sandbox);
		// Whether the certificate counts is told only by a letter; this one can't be sent.
		const listed = { method: 'GET', path: '/consents', token: 'valid' };
		const refused = { method: 'POST', path: '/messages/bulk_send', token: 'valid', status: 422 };
		const withCertificate = [listed, refused].map((one) => ({ ...one, clientCertificate: true }));
		expect(requests.slice(before)).toMatchObject([
			...withCertificate,
			...withCertificate,
			...withCertificate,
			{ ...listed, clientCertificate: false },
		]);
	});

	it('tells the receiver from whatever else answers with 200, such as n8n itself', async () => {
		const type = 'registeredDeliveryReceiverApi';
		const at = async (receiverUrl: string) => {
			const data = { receiverUrl, managementToken: stack.managementToken };
			return await stack.api.testCredential('', 'Tested', type, data);
		};
		expect(await at(stack.receiver.url)).toMatchObject({ status: 'OK' });
		expect(await at(stack.n8n.url)).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^The server at the Receiver URL is not a webhook receiver\./),
		});
	});

	// What n8n shows of an error from the service, from the node and from Node.js; the others are tests of
	// the credential in n8n's engine.
	it.each<[string, () => object, RegExp]>([
		['[AUTH-01][N] a wrong token', () => ({ apiToken: 'not-the-token' }), /API token/i],
		[
			'[AUTH-03][N] a wrong passphrase',
			() => ({ clientKey: encryptedKey, passphrase: 'wrong' }),
			/Passphrase does not decrypt the Client Key/,
		],
		['an unknown authority', () => ({ caCertificate: '' }), /not from a known authority/],
	])('says what is wrong: %s', async (_title, change, words) => {
		const result = await tested(change());
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(words) });
	});
});

it('no secret is in the executions and the log of runs that failed', async () => {
	const workflow = await saveChain(
		stack,
		'To a stranger',
		[START, sendLetter({ type: 'LRE', ...to('never@recipients.example') })],
		{ caCertificate: '', clientKey: encryptedKey, passphrase: PASSPHRASE },
	);
	expect((await stack.api.run(workflow)).error?.message).toMatch(/not from a known authority/);
	const found = await traces(stack);
	expect(Object.keys(found).length).toBeGreaterThan(8);
	const secrets = [...secretsOf(stack), ...pemLines(encryptedKey), PASSPHRASE];
	expect(leaks(found, secrets)).toEqual([]);
});
