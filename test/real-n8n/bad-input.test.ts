import { createPrivateKey } from 'node:crypto';

import type { Execution } from '../n8n/api.ts';
import { createPfx } from './pfx.ts';
import { countSendRequests, sandboxState } from '../support/sandbox.ts';
import { leaks, pemLines, secretsOf, traces } from './secrets.ts';
import { itemsFrom, saveChain, sendLetter, START, to } from './workflows.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(120_000);

const PASSPHRASE = ' a passphrase, spaces and all ';

let account: { certificate: string; key: string };
let encryptedKey: string;

useStack();

beforeAll(async () => {
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

	async function runLetters(name: string, more: object): Promise<Execution> {
		return await stack.api.run(
			await saveChain(stack, name, [
				START,
				itemsFrom(files.offer(LETTERS.map(({ item }) => item))),
				sendLetter(perItem, more),
			]),
		);
	}
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
	expect(Object.keys(found).length).toBeGreaterThan(2);
	const secrets = [...secretsOf(stack), ...pemLines(encryptedKey), PASSPHRASE];
	expect(leaks(found, secrets)).toEqual([]);
});
