// Every operation of every node, once, in a real n8n with the packed tarball. test/in-process
// covers the details of each.
import type { OutputItem } from '../n8n/api.ts';
import { nodeDescriptions, operationsOf } from '../support/descriptions.ts';
import { byReceiver, sandboxState } from '../support/sandbox.ts';
import { download, node, saveChain, START, to } from './workflows.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(120_000);

useStack({ sandbox: { automatic: false } });

type Before = Parameters<typeof saveChain>[2];

/** Operations that succeeded here, as `node` or `node: operation`. */
const ran = new Set<string>();

/** Nodes that sleep or listen have their own suite. */
const RUN_ELSEWHERE = [
	'awaitConsent',
	'awaitOutcome',
	'registeredDeliveryDirectTrigger',
	'registeredDeliveryTrigger',
];

/** Runs one node of the pack and returns its output items. */
async function run(
	type: string,
	parameters: object,
	{ account = 'direct', before = [] as Before, withReceiver = false } = {},
): Promise<OutputItem[]> {
	const underTest = node('Under Test', `n8n-nodes-registered-delivery.${type}`, 1, parameters);
	const chain = [START, ...before, underTest];
	const follow = withReceiver ? byReceiver(stack.receiver.url, stack.managementToken) : {};
	const credential = { ...stack.serviceCredential(account), ...follow };
	const workflow = await saveChain(stack, crypto.randomUUID(), chain, credential);
	const execution = await stack.api.run(workflow);
	expect(execution).toMatchObject({ status: 'success', error: null });
	const { operation } = parameters as { operation?: string };
	ran.add(nameOf(type, operation ?? null));
	return execution.output['Under Test'];
}

const nameOf = (type: string, operation: string | null) =>
	operation === null ? type : `${type}: ${operation}`;

async function sendLetter(more: object = {}): Promise<string> {
	const parameters = {
		operation: 'send',
		type: 'LS',
		body: '<p>Dear reader</p>',
		recipientsFrom: 'json',
		...to('ada@recipients.example'),
		...more,
	};
	const [{ json }] = await run('sendLetter', parameters);
	return String(json.messageId);
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const aNewId = expect.stringMatching(/^\d{12}$/);

describe('Send Letter', () => {
	it('send, then reschedule and cancel', async () => {
		const messageId = await sendLetter({ options: { scheduledAt: inDays(2) } });
		const messageIds = messageId;
		await run('sendLetter', { operation: 'reschedule', messageIds, scheduledAt: inDays(3) });
		const [{ json }] = await run('sendLetter', { operation: 'cancel', messageIds });
		expect(json).toMatchObject({ messageId, cancelled: true });
	});

	it('check', async () => {
		const [{ json }] = await run('sendLetter', {
			operation: 'check',
			type: 'LS',
			body: '<p>Dear reader</p>',
			recipientsFrom: 'json',
			...to('ada@recipients.example'),
		});
		expect(json).toMatchObject({ check: { ok: true, type: 'LS', letters: 1 } });
	});

	it('resend, many at once', async () => {
		const ids = [await sendLetter(), await sendLetter()];
		const items = await run('sendLetter', { operation: 'resend', messageIds: ids.join(', ') });
		expect(items.map(({ json }) => json)).toEqual(
			ids.map((resentFrom) => ({ messageId: aNewId, resentFrom })),
		);
	});

	it('resend one, to its contact and to a new one', async () => {
		const messageId = await sendLetter();
		const parameters = { operation: 'resendTo', messageId };
		const [again] = await run('sendLetter', { ...parameters, sendTo: 'originalContact' });
		expect(again.json).toMatchObject({ messageId: aNewId, resentFrom: messageId });
		const [elsewhere] = await run('sendLetter', {
			...parameters,
			sendTo: 'newContact',
			recipientsFrom: 'form',
			recipientKind: 'person',
			email: 'new@recipients.example',
			firstname: 'Ada',
			lastname: 'Martin',
		});
		expect(elsewhere.json).toMatchObject({ messageId: aNewId, email: 'new@recipients.example' });
	});
});

describe('Get Status and Download Evidence', () => {
	it('get many, summarize: what was sent with the receiver', async () => {
		const withReceiver = true;
		const letter = { operation: 'send', type: 'LS', body: '<p>Hello</p>', recipientsFrom: 'json' };
		const [sent] = await run(
			'sendLetter',
			{ ...letter, ...to('open@recipients.example') },
			{ withReceiver },
		);
		const { messageId } = sent.json;
		const listed = await run('getStatus', { operation: 'getMany', limit: 1 }, { withReceiver });
		expect(listed).toMatchObject([{ json: { messageId, type: 'LS' } }]);
		const [counted] = await run('getStatus', { operation: 'summarize' }, { withReceiver });
		expect(counted.json.total).toBeGreaterThan(0);
	});

	it('get, download all and one, get a link', async () => {
		const messageId = await sendLetter({ type: 'LRE' });
		await stack.sandbox.control('POST /messages/{id}/{trigger}', {
			id: messageId,
			trigger: 'accept',
		});
		const [status] = await run('getStatus', { operation: 'get', messageId });
		expect(status.json).toMatchObject({ messageId, status: 'ACCEPTED', final: true });

		const all = await run('downloadEvidence', { operation: 'download', messageId });
		expect(all.map(({ binary }) => binary?.data)).toMatchObject([
			{ fileName: `${messageId}-SENT.pdf`, mimeType: 'application/pdf' },
			{ fileName: `${messageId}-ACCEPTED.pdf`, mimeType: 'application/pdf' },
		]);
		const parameters = { operation: 'download', messageId, eventType: 'ACCEPTED' };
		expect(await run('downloadEvidence', parameters)).toHaveLength(1);

		const [link] = await run('downloadEvidence', { ...parameters, operation: 'getLink' });
		expect(link.json.url).toEqual(expect.stringContaining('https://'));
	});
});

describe('Manage Customer', () => {
	const reseller = { account: 'reseller' };

	it('create, get many, set and delete a logo', async () => {
		const name = 'Librairie Étoile';
		const email = 'etoile@customers.example';
		const [created] = await run('manageCustomer', { operation: 'create', name, email }, reseller);
		expect(created.json).toMatchObject({ name, email, state: 'PENDING' });

		const found = await run('manageCustomer', { operation: 'getMany', returnAll: true }, reseller);
		expect(found.map(({ json }) => json.name)).toContain(name);

		const customerId = { __rl: true, mode: 'id', value: created.json.id };
		const [set] = await run(
			'manageCustomer',
			{ operation: 'setLogo', customerId, logoField: 'data' },
			{ ...reseller, before: [download(files.pictureUrl)] },
		);
		expect(set.json.logoUrl).toEqual(expect.stringContaining('https://'));
		const [gone] = await run('manageCustomer', { operation: 'deleteLogo', customerId }, reseller);
		expect(gone.json).toMatchObject({ customerId: created.json.id, deleted: true });
	});
});

describe('Request Consent', () => {
	it('create, get many, remind', async () => {
		const [created] = await run('requestConsent', {
			operation: 'create',
			type: 'EMAIL',
			recipientsFrom: 'json',
			...to('consent@contacts.example'),
		});
		expect(created.json).toMatchObject({ state: 'PENDING', email: 'consent@contacts.example' });

		const found = await run('requestConsent', { operation: 'getMany', returnAll: true });
		expect(found.map(({ json }) => json.id)).toContain(created.json.id);

		const consentId = created.json.id;
		const [reminded] = await run('requestConsent', { operation: 'remind', consentId });
		expect(reminded.json).toMatchObject({ consentId, message: expect.any(String) });
	});
});

describe('n8n’s HTTP Request node, with the same credential', () => {
	const ask = async (url: string) => {
		const parameters = {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'registeredDeliveryApi',
			options: {},
		};
		const request = node('Ask', 'n8n-nodes-base.httpRequest', 4.2, parameters);
		const asking = { ...request, credentials: stack.credentials };
		const workflow = await saveChain(stack, crypto.randomUUID(), [START, asking]);
		return await stack.api.run(workflow);
	};

	it('calls the service and the receiver, each with what belongs there, and nobody else', async () => {
		const service = await ask(`${stack.sandbox.url}/consents`);
		expect(service.output.Ask[0].json).toHaveProperty('meta');
		const receiver = await ask(`${stack.receiver.url}/consumers`);
		expect(receiver.output.Ask[0].json).toHaveProperty('data');
		const other = await ask(stack.sandbox.pageUrl);
		expect(other.status).toBe('error');
		expect(JSON.stringify(other.error)).toMatch(/is not the Base URL nor the Receiver URL/);
		const { requests } = await sandboxState(stack.sandbox);
		expect(requests.at(-1)).toMatchObject({ path: '/consents', clientCertificate: true });
	});
});

it('every operation of every other node has been run here', () => {
	const operations = nodeDescriptions().flatMap((description) =>
		operationsOf(description).map((operation) => ({ name: description.name, operation })),
	);
	const missing = operations
		.filter(({ name }) => !RUN_ELSEWHERE.includes(name))
		.map(({ name, operation }) => nameOf(name, operation))
		.filter((name) => !ran.has(name));
	expect(missing).toEqual([]);
});
