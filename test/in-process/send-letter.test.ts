// Send Letter through n8n-core's own request helpers, against the sandbox over HTTPS with mTLS.
import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import type { INodeType } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { useBinaryStore, type InputItem } from '../support/n8n-core.ts';
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import { sendLetterWith } from './nodes.ts';
import { runAt, TOO_LONG, useStrictSandbox, type AtService } from './services.ts';

const person = { email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' };
const company = { email: 'hello@company.example', company: 'Martin SARL' };
const minute = 60_000;
const day = 24 * 60 * minute;

const sandbox = useStrictSandbox();

/** Sends with the given parameters; those not given make a valid simple letter to a person. */
const send = (parameters: object = {}, options?: AtService, node: INodeType = new SendLetter()) =>
	runAt(
		sandbox,
		node,
		{
			type: 'LS',
			body: '<p>Dear Ms Martin, hello.</p>',
			recipientsFrom: 'json',
			recipientsJson: [person],
			...parameters,
		},
		options,
	);

const messages = async () => (await sandboxState(sandbox)).messages;
const requests = async () =>
	(await sandboxState(sandbox)).requests.filter(({ path }) => path === '/messages/bulk_send');

/** Expects an error that names the item and the parameter, and that nothing was sent. */
async function expectRefused(sent: ReturnType<typeof send>, ...words: Array<string | RegExp>) {
	const { error } = await sent;
	for (const word of words) expect(error?.message).toMatch(word);
	expect(await requests()).toEqual([]);
}

describe('what goes out and what comes back', () => {
	it('n8n can find the execution by its letters, also by those that left before a failure', async () => {
		const { run } = await send({ recipientsJson: [person, { ...person, email: 'b@x.example' }] });
		const ids = (await messages()).map(({ id }) => id);
		expect(ids).toHaveLength(2);
		expect(run.data.resultData.metadata).toEqual({ messageId: ids.join(' ') });

		const rows = [person, { ...person, lastname: TOO_LONG }];
		const failed = await send(
			{ recipientsFrom: 'item', options: { concurrency: 1 } },
			{ items: rows.map((json) => ({ json })) },
		);
		expect(failed.error).toBeDefined();
		const left = (await messages()).map(({ id }) => id).filter((id) => !ids.includes(id));
		expect(left).toHaveLength(1);
		expect(failed.run.data.resultData.metadata).toEqual({ messageId: left[0] });
	});

	it('n8n can find the execution of a large mailing by as many of its letters as it keeps', async () => {
		const { run } = await send({ recipientsJson: Array.from({ length: 21 }, () => person) });
		const ids = (await messages()).map(({ id }) => id);
		expect(ids).toHaveLength(21);
		expect(run.data.resultData.metadata).toEqual({ messageId: ids.slice(0, 19).join(' ') });
	});

	it('n8n can find the execution by the letters of every round of a loop', async () => {
		const refused = { kind: 'status', status: 422 } as const;
		const faults = [{ path: '/messages/bulk_send', skip: 1, fault: refused }];
		await sandbox.control('POST /faults', { faults });
		const { run } = await send(
			{ recipientsFrom: 'item', options: { concurrency: 1 } },
			{
				items: [person, person].map((json) => ({ json })),
				...({ onError: 'continueErrorOutput', rounds: 1, restores: true } as const),
			},
		);
		const ids = (await messages()).map(({ id }) => id);
		expect(ids).toHaveLength(2);
		expect(run.data.resultData.metadata).toEqual({ messageId: ids.join(' ') });
	});

	it('[SEND-01][SEND-12][AUTH-01][AUTH-04][TYPE-04][N] sends a simple letter with the token alone and gives the answer', async () => {
		const { items, error } = await send({}, { account: 'token-only' });
		expect(error).toBeUndefined();
		const [message] = await messages();
		expect(items).toEqual([
			{
				json: {
					messageId: message.id,
					body: '<p>Dear Ms Martin, hello.</p>',
					createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
					type: 'LS',
					customerReference: null,
					fileReference: null,
					scheduledAt: null,
					messages: [{ id: message.id, email: person.email }],
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(await requests()).toEqual([
			expect.objectContaining({
				method: 'POST',
				token: 'valid',
				headers: expect.objectContaining({ accept: 'application/json' }),
				clientCertificate: false,
				status: 201,
			}),
		]);
	});

	it('[TYPE-01][AUTH-03][N] sends a registered letter with the client certificate', async () => {
		const { error } = await send({ type: 'LRE' });
		expect(error).toBeUndefined();
		expect(await messages()).toMatchObject([{ type: 'LRE' }]);
		expect(await requests()).toMatchObject([{ clientCertificate: true }]);
	});

	it('[TYPE-05][N] sends a simplified notice under the rules of the simple letter', async () => {
		const files = { paper: { name: 'a.txt', type: 'text/plain', content: Buffer.from('a') } };
		const { error } = await send(
			{ type: 'AS', recipientsJson: [company], attachmentFields: 'paper' },
			{ account: 'token-only', items: [{ files }] },
		);
		expect(error).toBeUndefined();
		expect(await messages()).toMatchObject([
			{ type: 'AS', contact: { company: company.company, identifier: null } },
		]);
	});

	it.each([
		['AES', 'AES'],
		['AES', 'MT'],
		['MT', 'AES'],
		['MT', 'MT'],
	])(
		'[TYPE-06][AES-01][SEND-03][N] type %s goes out as %s, the spelling of the credential',
		async (type, trackedMailSpelling) => {
			const { items } = await send(
				{ type },
				{ account: 'token-only', change: { trackedMailSpelling } },
			);
			expect(items[0].json.type).toBe(trackedMailSpelling);
		},
	);

	it('[SEND-05][SEND-07][N] passes references and the wish for a logo on', async () => {
		const options = {
			fileReference: 'INV-1',
			customerReference: 'CUST-1',
			includeSenderLogo: true,
		};
		const { items } = await send({ options });
		expect(items[0].json).toMatchObject({ fileReference: 'INV-1', customerReference: 'CUST-1' });
		expect(await messages()).toMatchObject([options]);
	});

	it('[SEND-06][N] sends for a customer who accepted the delegation', async () => {
		const customer = sandbox.accounts
			.find(({ name }) => name === 'reseller')
			?.customers.find(({ state }) => state === 'ACCEPTED');
		const { customers } = await sandboxState(sandbox);
		const sender = customers.find(({ name }) => name === customer?.name)?.id ?? '';
		const { error } = await send({ options: { sender } }, { account: 'reseller' });
		expect(error).toBeUndefined();
		expect(await messages()).toMatchObject([{ sender }]);
	});

	it('[SEND-06][AUTH-06][N] tells of a customer who has not accepted', async () => {
		const { customers } = await sandboxState(sandbox);
		const sender = customers.find(({ state }) => state === 'PENDING')?.id ?? '';
		const { error } = await send({ options: { sender } }, { account: 'reseller' });
		expect(error?.message).toContain('(customer-not-registered)');
		expect(error?.description).toContain('must be ACCEPTED');
	});

	it('reads the credential once for a mailing, and once for each request', async () => {
		let reads = 0;
		const counted = {
			get trackedMailSpelling() {
				reads++;
				return 'AES';
			},
		};
		const credential = Object.defineProperties(
			serviceCredential(sandbox, 'direct'),
			Object.getOwnPropertyDescriptors(counted),
		);
		const items = Array.from({ length: 10 }, (_, index) => ({
			json: { ...person, email: `never+${index}@recipients.example` },
		}));
		const parameters = { recipientsFrom: 'item', options: { groupRecipients: true } };
		const { error } = await send(parameters, { credential, items });
		expect(error).toBeUndefined();
		expect(await requests()).toHaveLength(1);
		// n8n's own helper reads it for the request.
		expect(reads).toBe(2);
	});
});

describe('recipients', () => {
	it('[RCPT-01][RCPT-02][N] come from the form, hidden fields left out', async () => {
		const { error } = await send({
			recipientsFrom: 'form',
			recipients: {
				recipient: [
					{ recipientKind: 'person', ...person, company: 'left over' },
					{ recipientKind: 'organization', ...company, identifier: '' },
				],
			},
		});
		expect(error).toBeUndefined();
		expect((await messages()).map(({ contact }) => contact)).toMatchObject([
			{ firstname: 'Ada', company: null },
			{ company: 'Martin SARL', identifier: null, identifierType: null },
		]);
	});

	it('[RCPT-01][RCPT-02][N] are the input items themselves, what else they hold left out', async () => {
		const rows = [
			{ ...person, invoice: 'INV-1' },
			{ ...company, note: 'call first' },
		];
		const { error } = await send(
			{ recipientsFrom: 'item', options: { groupRecipients: true } },
			{ items: rows.map((json) => ({ json })) },
		);
		expect(error).toBeUndefined();
		expect(await requests()).toHaveLength(1);
		expect((await messages()).map(({ contact }) => contact)).toMatchObject([
			{ email: person.email, firstname: 'Ada' },
			{ email: company.email, company: 'Martin SARL' },
		]);
	});

	it('[RCPT-01][N] an input item that is no recipient is refused, and told what it has', async () => {
		const items = [{ json: { mail: person.email, firstname: 'Ada', lastname: 'Martin' } }];
		const { error } = await send({ recipientsFrom: 'item' }, { items });
		expect(error?.message).toBe(
			'"email": It is missing. The fields of the item: mail, firstname, lastname.',
		);
		expect(error?.description).toContain('Correct the data of row 1.');
		const wide = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`c${at}`, at]));
		const { error: many } = await send({ recipientsFrom: 'item' }, { items: [{ json: wide }] });
		expect(many?.message).toMatch(/: c0, c1, .*c19, and 3 more\.$/);
		expect(await requests()).toEqual([]);
	});

	it.each<[string, unknown, RegExp]>([
		['[SEND-02][N] none', [], /There is none/],
		['an expression that gives nothing', '={{ $json.nope }}', /The JSON is empty/],
		['broken JSON', '[{', /JSON cannot be read/],
		['a text', '"x"', /JSON cannot be read/],
	])('%s is refused before any request', async (_, recipientsJson, message) => {
		await expectRefused(send({ recipientsJson }), /^Recipients: /, message);
	});
});

describe('what the output pane says, in letters', () => {
	const rows = (count: number) =>
		Array.from({ length: count }, (_, at) => ({ json: { email: `row${at}@x.example` } }));
	const told = async (parameters: object, items: InputItem[]) => {
		const { hints } = await send(parameters, { items, onError: 'continueRegularOutput' });
		return hints.at(-1)?.message;
	};

	it('each recipient of a row has one', async () => {
		const recipientsJson = ['a', 'b', 'c'].map((name) => ({
			...person,
			email: `${name}@x.example`,
		}));
		expect(await told({ recipientsJson }, rows(2))).toBe('6 letters sent.');
		expect(await messages()).toHaveLength(6);
	});

	it('rows under one key have one', async () => {
		const key = `words-${Date.now()}`;
		expect(await told({ options: { sendOnceKey: key } }, rows(3))).toBe(
			'1 letter sent, 2 rows sent already.',
		);
		expect(await messages()).toHaveLength(1);
	});

	it('a row that is wrong has none', async () => {
		const body = '={{ $itemIndex === 1 ? "" : "<p>Hello</p>" }}';
		expect(await told({ body }, rows(3))).toBe('2 letters sent, 1 row not sent.');
	});
});

describe('attachments', () => {
	const content = randomBytes(3 * 1024 * 1024);
	const files = {
		contract: { name: 'contrat "été".pdf', type: 'application/pdf', content },
		annex: { name: 'annex.txt', type: 'text/plain', content: Buffer.from('annex') },
	};

	const empty = { name: 'empty.pdf', type: 'application/pdf', content: Buffer.alloc(0) };

	// Before any test keeps files in n8n's store, where each item's file is one of its own.
	it('are shared by letters of one request, and no others of the same name and size are', async () => {
		const contents = ['some bytes', 'other ones'].map((text) => Buffer.from(text));
		const items = [0, 1, 0, 1].map((which) => ({
			json: { which, email: `reader${which}@recipients.example` },
			files: { data: { name: 'a.txt', type: 'text/plain', content: contents[which] } },
		}));
		const { items: output } = await send(
			{
				recipientsJson: '={{ [{ email: $json.email, firstname: "A", lastname: "B" }] }}',
				attachmentFields: 'data',
				options: { groupRecipients: true },
			},
			{ items },
		);
		expect(await requests()).toHaveLength(2);
		const sent = new Map((await messages()).map(({ id, attachments }) => [id, attachments]));
		for (const [at, { json }] of output.entries()) {
			const sha256 = createHash('sha256')
				.update(contents[at % 2])
				.digest('hex');
			expect(sent.get(String(json.messageId))).toMatchObject([{ sha256 }]);
		}
	});

	it('[SEND-08][N] that an expression was to name and did not are no letter without them', async () => {
		await expectRefused(
			send({ attachmentFields: '={{ $json.files }}' }),
			'Attachment Fields: It is undefined for this item. For no attachments it must be an empty text.',
		);
	});

	describe.each(['in the items', 'in n8n’s binary store'])('kept %s', (place) => {
		if (place !== 'in the items') beforeAll(useBinaryStore);

		it('[SEND-08][N] an empty one is sent by neither, Check included', async () => {
			const letter = { attachmentFields: 'contract, annex' };
			const options = { items: [{ files: { ...files, annex: empty } }] };
			const problem = 'The file "empty.pdf" in the binary field "annex" is empty.';
			await expectRefused(send(letter, options), `Attachment Fields: ${problem}`);
			const { items } = await send({ ...letter, operation: 'check' }, options);
			expect(items[0].json.check).toMatchObject({
				ok: false,
				problems: [{ parameter: 'Attachment Fields', message: problem }],
			});
		});

		it('[SEND-08][SEND-09][N] go out as multipart with indexed recipients, byte for byte', async () => {
			const { error } = await send(
				{
					attachmentFields: 'contract, annex',
					recipientsJson: [person, company],
					options: { fileReference: 'INV-1', includeSenderLogo: false },
				},
				{ items: [{ files }] },
			);
			expect(error).toBeUndefined();
			const [request] = await requests();
			expect(request.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
			for (const message of await messages()) {
				expect(message).toMatchObject({ fileReference: 'INV-1', includeSenderLogo: false });
				expect(message.attachments).toMatchObject([
					{
						name: expect.stringContaining('été'),
						contentType: 'application/pdf',
						size: content.length,
						sha256: createHash('sha256').update(content).digest('hex'),
					},
					{ name: 'annex.txt', size: 5 },
				]);
			}
		});
	});

	it('[SEND-08][SEND-09][N] a name or type that would break the header of its part goes out without that', async () => {
		const odd = { name: 'b\\c\n.pdf', type: 'text/plain\r\nX: 1', content: Buffer.from('a') };
		const { error } = await send({ attachmentFields: 'odd' }, { items: [{ files: { odd } }] });
		expect(error).toBeUndefined();
		const [{ attachments }] = await messages();
		expect(attachments).toMatchObject([
			{ name: 'b_c_.pdf', contentType: expect.stringMatching(/^text\/plain/) },
		]);
	});

	describe('of 250 MB together', () => {
		beforeAll(useBinaryStore);
		const half = 125 * 1024 * 1024;

		it.each([
			['are taken', half, true],
			['and a byte are not, and nothing is uploaded', half + 1, false],
		])('[SEND-08][N] %s', async (_, size, ok) => {
			const node = sendLetterWith((helpers) => {
				const sizes = [half, size];
				helpers.getBinaryMetadata = async () => ({ fileSize: sizes.shift() ?? 0 });
			});
			const parameters = { operation: 'check', attachmentFields: 'contract, annex' };
			const { items } = await send(parameters, { items: [{ files }] }, node);
			const problems = ok ? [] : [{ message: expect.stringContaining('the maximum is 250 MB') }];
			expect(items[0].json.check).toMatchObject({ ok, problems });
			expect(await requests()).toEqual([]);
		});
	});

	describe('kept in the JSON of the item, by the workflow’s setting', () => {
		beforeAll(useBinaryStore);
		const items = [{ files }];

		it.each(['contract, annex', '_files.contract, _files.annex', 'contract, _files.annex'])(
			'[SEND-08][N] go out by %s',
			async (attachmentFields) => {
				const { error } = await send({ attachmentFields }, { items, binaryMode: 'combined' });
				expect(error).toBeUndefined();
				const [{ attachments }] = await messages();
				expect(attachments).toMatchObject([{ size: content.length }, { size: 5 }]);
			},
		);

		it.each([undefined, 'combined'] as const)('a name that is not there: %s', (binaryMode) =>
			expectRefused(
				send({ attachmentFields: 'contract, toString' }, { items, binaryMode }),
				/no binary field "toString"\. Its binary fields: contract, annex\.$/,
			),
		);
	});

	it('[AES-02][N] tracked mail takes one', () =>
		expectRefused(
			send({ type: 'AES', attachmentFields: 'contract,annex' }, { items: [{ files }] }),
			/^Attachment Fields: Tracked mail takes one attachment; there are 2/,
		));
});

describe('scheduling', () => {
	const local = (offset: number) =>
		new Date(Date.now() + offset).toLocaleString('sv', { timeZone: 'Europe/Brussels' });

	it('[SCHD-01][SCHD-03][N] a time of the date picker is meant in the workflow’s zone', async () => {
		const scheduledAt = local(day).replace(' ', 'T');
		const { error } = await send({ options: { scheduledAt } });
		expect(error).toBeUndefined();
		const [message] = await messages();
		expect(message.status).toBe('SCHEDULED');
		const difference = new Date(message.scheduledAt ?? 0).getTime() - (Date.now() + day);
		expect(Math.abs(difference)).toBeLessThan(60_000);
	});
});

describe('errors of the service', () => {
	it('[AUTH-01][AUTH-06][N] a wrong token', async () => {
		const { error } = await send({}, { change: { apiToken: 'wrong' } });
		expect(error?.message).toContain('(unauthorized)');
		expect(error?.description).toContain('API token');
	});

	it('no error holds the token, the key or the passphrase', async () => {
		const secrets = { apiToken: 'tok-3f9c', passphrase: 'pass-77aa' };
		const results = [
			await send({}, { change: secrets }),
			await send({}, { change: { ...secrets, baseUrl: 'https://localhost:1' } }),
			await send({ body: ' ' }, { change: secrets }),
			await send({}, { change: { ...secrets, caCertificate: '' } }),
		];
		for (const { error, run } of results) {
			expect(error).toBeDefined();
			const everything = inspect(run, { depth: 30, maxStringLength: null, showHidden: true });
			expect(everything).not.toContain(secrets.apiToken);
			expect(everything).not.toContain(secrets.passphrase);
			expect(everything).not.toContain('PRIVATE KEY');
		}
	});
});

describe('several items', () => {
	const items: InputItem[] = ['good', '', 'fine'].map((body) => ({ json: { body } }));
	const fromItem = { body: '={{ $json.body }}' };

	it('one wrong item stops all of them before anything is sent', async () => {
		const { error } = await send(fromItem, { items });
		expect(error?.message).toMatch(/^Row 2 of 3: Body: /);
		expect(error?.description).toContain('Of 3 rows, none was carried out.');
		// n8n's panel would add "[item 1]" to the message.
		expect(error?.context).not.toHaveProperty('itemIndex');
		expect(await requests()).toEqual([]);
	});

	it('with Continue On Fail the others go on, each paired with its input', async () => {
		const result = await send(fromItem, { items, onError: 'continueRegularOutput' });
		expect(result.items).toMatchObject([
			{ json: { type: 'LS', body: 'good' }, pairedItem: { item: 0 } },
			{ json: { error: expect.stringMatching(/^Row 2 of 3: Body: /) }, pairedItem: { item: 1 } },
			{ json: { type: 'LS', body: 'fine' }, pairedItem: { item: 2 } },
		]);
	});
});
