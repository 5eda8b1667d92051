// The trigger on consents and customers: n8n's own context, a real receiver that reads the lists of
// the sandbox over HTTPS.
import { sandboxState, serviceCredential } from '../support/sandbox.ts';
import { poster } from '../contract/receiver/watching/poster.ts';
import { until } from '../contract/receiver/harness.ts';
import { n8n, publish, receiver, started, usePulling } from './pulling.ts';
import { useStrictSandbox, watchingAt } from './services.ts';
import type * as Pauses from '../support/short-pauses.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const sandbox = useStrictSandbox({ automatic: true });
const ask = async (...emails: string[]) => await poster(sandbox, 'reseller').ask(emails);
usePulling(() => ({
	...watchingAt(serviceCredential(sandbox, 'reseller')),
	WATCH_RATE_LIMIT: '60000',
}));

/** Until the lists have been read whole: what is so by then starts nothing. */
async function publishReading(parameters: object): Promise<void> {
	await publish({ parameters: parameters as never });
	await until(async () => {
		const { requests } = await sandboxState(sandbox);
		return requests.filter(({ path }) => path.startsWith('/consents')).length > 1;
	}, 'the consents have been read');
}

const events = () => n8n.database.events;

it('[CONS-07][CUST-04][T] an answer starts the workflow with who gave it', async () => {
	const chosen = ['consent.accepted', 'customer.revoked'];
	const [refused, accepted] = await ask('r@contacts.example', 'a@contacts.example');
	await publishReading({
		events: chosen,
		options: { messageTypes: ['LRE'], statuses: ['OPENED'] },
	});
	await sandbox.control('POST /consents/{id}/{answer}', { id: refused, answer: 'refuse' });
	await sandbox.control('POST /consents/{id}/{answer}', { id: accepted, answer: 'accept' });
	await started(1);
	const { customers } = await sandboxState(sandbox);
	const lune = customers.find(({ state }) => state === 'ACCEPTED');
	await sandbox.control('POST /customers/{id}/{answer}', { id: lune!.id, answer: 'revoke' });
	await started(2);
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
	const [accepted] = await ask('a@contacts.example');
	await publishReading({ events: ['*'], simplify: true });
	await sandbox.control('POST /consents/{id}/{answer}', { id: accepted, answer: 'accept' });
	await started(1);
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
	const [accepted] = await ask('a@contacts.example');
	await publish({ parameters: { events: ['*'], options: { messageTypes: ['LRE'] } } });
	await sandbox.control('POST /consents/{id}/{answer}', { id: accepted, answer: 'accept' });
	await until(async () => (await receiver.consumers()).length === 1, 'it is known');
	// Nobody else wants them either: the receiver does not even ask.
	expect((await sandboxState(sandbox)).requests.filter(({ method }) => method === 'GET')).toEqual(
		[],
	);
});
