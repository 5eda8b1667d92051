// The trigger on consents and customers: n8n's own context, a real receiver that reads the lists of
// the sandbox over HTTPS.
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { RegisteredDeliveryDirectTrigger } from '../../nodes/RegisteredDeliveryDirectTrigger/RegisteredDeliveryDirectTrigger.node.ts';
import { RegisteredDeliveryTrigger } from '../../nodes/RegisteredDeliveryTrigger/RegisteredDeliveryTrigger.node.ts';
import { sandboxState, serviceCredential, startStrictSandbox } from '../support/sandbox.ts';
import { poster } from '../contract/receiver/watching/poster.ts';
import { until } from '../contract/receiver/harness.ts';
import { managementToken, PulledReceiver } from './pulled-receiver.ts';
import { N8nDatabase, N8nProcess } from './pulling-n8n.ts';
import type * as Pauses from '../support/short-pauses.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

let sandbox: Sandbox;
let receiver: PulledReceiver;
let n8n: N8nProcess;
let post: ReturnType<typeof poster>;

beforeEach(async () => {
	sandbox = await startStrictSandbox({ automatic: true });
	const { baseUrl, apiToken, clientCertificate, clientKey, caCertificate } = serviceCredential(
		sandbox,
		'reseller',
	);
	receiver = await PulledReceiver.start({
		SERVICE_URL: baseUrl,
		SERVICE_TOKEN: apiToken,
		SERVICE_CA: caCertificate,
		SERVICE_CLIENT_CERTIFICATE: clientCertificate,
		SERVICE_CLIENT_KEY: clientKey,
		WATCH_RATE_LIMIT: '60000',
		WATCH_DELAYS: '0s:1s',
	});
	n8n = await N8nProcess.start(receiver.url, new N8nDatabase());
	post = poster(sandbox, 'reseller');
});
afterEach(async () => {
	await n8n.close();
	n8n.wire.cut();
	await receiver.end();
	await sandbox.close();
});

/** Until the lists have been read whole: what is so by then starts nothing. */
async function publish(parameters: object): Promise<void> {
	await n8n.publish({ managementToken, parameters: parameters as never });
	await until(async () => {
		const { requests } = await sandboxState(sandbox);
		return requests.filter(({ path }) => path.startsWith('/consents')).length > 1;
	}, 'the consents have been read');
}

const events = () => n8n.database.events;
const untilStarted = (count: number) =>
	until(() => events().length >= count, `${count} executions`);

it('[CONS-07][CUST-04][T] an answer starts the workflow with who gave it', async () => {
	const chosen = ['consent.accepted', 'customer.revoked'];
	const [refused, accepted] = await post.ask(['r@contacts.example', 'a@contacts.example']);
	await publish({ events: chosen, options: { messageTypes: ['LRE'], statuses: ['OPENED'] } });
	await sandbox.control('POST /consents/{id}/{answer}', { id: refused, answer: 'refuse' });
	await sandbox.control('POST /consents/{id}/{answer}', { id: accepted, answer: 'accept' });
	await untilStarted(1);
	const { customers } = await sandboxState(sandbox);
	const lune = customers.find(({ state }) => state === 'ACCEPTED');
	await sandbox.control('POST /customers/{id}/{answer}', { id: lune!.id, answer: 'revoke' });
	await untilStarted(2);
	expect(events()).toMatchObject([
		{
			type: 'consent.accepted',
			consentId: accepted,
			status: 'ACCEPTED',
			messageId: null,
			raw: { email: 'a@contacts.example', type: 'EMAIL' },
		},
		{ type: 'customer.revoked', customerId: lune?.id, raw: { name: lune?.name } },
	]);
});

it('[CONS-07][T] simplified, it still says who', async () => {
	const [accepted] = await post.ask(['a@contacts.example']);
	await publish({ events: ['*'], simplify: true });
	await sandbox.control('POST /consents/{id}/{answer}', { id: accepted, answer: 'accept' });
	await untilStarted(1);
	expect(events()).toEqual([
		{
			type: 'consent.accepted',
			sourceType: 'status',
			status: 'ACCEPTED',
			terminal: true,
			messageId: null,
			messageType: null,
			reversible: false,
			occurredAt: null,
			fileReference: null,
			customerReference: null,
			consentId: accepted,
			receivedAt: expect.any(String),
			email: 'a@contacts.example',
			firstName: 'Anna',
			lastName: 'Blau',
			company: null,
		},
	]);
});

it('[T] a filter of letters holds back what only Any Event would bring', async () => {
	const [accepted] = await post.ask(['a@contacts.example']);
	await n8n.publish({
		managementToken,
		parameters: { events: ['*'], options: { messageTypes: ['LRE'] } },
	});
	await sandbox.control('POST /consents/{id}/{answer}', { id: accepted, answer: 'accept' });
	await until(async () => (await receiver.consumers()).length === 1, 'it is known');
	// Nobody else wants them either: the receiver does not even ask.
	expect((await sandboxState(sandbox)).requests.filter(({ method }) => method === 'GET')).toEqual(
		[],
	);
});

it('only the trigger that pulls offers them: nobody posts them to a webhook', () => {
	const offered = (node: {
		description: { properties: Array<{ name: string; options?: unknown }> };
	}) => JSON.stringify(node.description.properties.find(({ name }) => name === 'events')?.options);
	for (const type of [
		'consent.accepted',
		'consent.refused',
		'customer.accepted',
		'customer.refused',
		'customer.revoked',
		'customer.cancelled',
	]) {
		expect(offered(new RegisteredDeliveryTrigger())).toContain(`"${type}"`);
		expect(offered(new RegisteredDeliveryDirectTrigger())).not.toContain(`"${type}"`);
	}
});
