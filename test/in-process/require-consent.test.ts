// Send Letter's option Require Consent: no registered letter to a person who has not consented.
import { RequestConsent } from '../../nodes/RequestConsent/RequestConsent.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { runNode, type InputItem, type RunOptions } from '../support/n8n-core.ts';
import { countSendRequests, sandboxState, serviceCredential } from '../support/sandbox.ts';
import { useStrictSandbox } from './services.ts';

const sandbox = useStrictSandbox();

const person = (name: string) => ({
	email: `${name}@recipients.example`,
	firstname: name,
	lastname: 'Martin',
});
const company = {
	email: 'hello@company.example',
	company: 'Martin SARL',
	identifier: '732829320',
	identifierType: 'SIREN',
};

const credentials = () => ({ registeredDeliveryApi: serviceCredential(sandbox, 'direct') });

const run = (items: object[], parameters: object = {}, options: Partial<RunOptions> = {}) =>
	runNode(new SendLetter(), {
		items: items.map((json) => ({ json }) as InputItem),
		credentials: credentials(),
		parameters: {
			operation: 'send',
			type: 'LRE',
			recipientsFrom: 'item',
			body: '<p>Dear reader</p>',
			options: { requireConsent: true },
			...parameters,
		},
		...options,
	});

/** Records or asks for a consent. */
async function consent(recipient: object, type: string, state?: string): Promise<string> {
	const { items, error } = await runNode(new RequestConsent(), {
		items: [{ json: recipient as InputItem['json'] }],
		credentials: credentials(),
		parameters: { operation: 'create', type, recipientsFrom: 'item', ...(state && { state }) },
	});
	if (error) throw error;
	return String(items[0].json.id);
}

const listings = async () => {
	const { requests } = await sandboxState(sandbox);
	return requests.filter(({ method, path }) => method === 'GET' && path === '/consents').length;
};

it('[CONS-07][N] a person who has consented gets the letter; one listing serves all items', async () => {
	const all = ['ada', 'ben', 'cleo'].map(person);
	for (const one of all) await consent(one, 'MANUAL', 'ACCEPTED');
	const { items, error } = await run([...all, company]);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(4);
	expect(await listings()).toBe(1);
});

it('[CONS-07][N] a consent counts for every spelling of its address', async () => {
	await consent({ ...person('zoë'), email: 'zoë@bücher.example' }, 'MANUAL', 'ACCEPTED');
	const { items, error } = await run([
		{ ...person('zoë'), email: 'ZOE\u0308@xn--bcher-kva.example' },
	]);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
});

it('[CONS-07][N] without an accepted consent nothing leaves, and the error says what to do', async () => {
	const ada = person('ada');
	const missing = await run([ada]);
	expect(missing.error?.message).toBe(
		'Require Consent: A registered letter (LRE) to ada@recipients.example needs an accepted consent, but there is none. Ask for it with an Await Consent node before this one.',
	);
	const id = await consent(ada, 'EMAIL');
	expect((await run([ada])).error?.message).toContain('but the newest is PENDING.');
	await sandbox.control('POST /consents/{id}/{answer}', { id, answer: 'refuse' });
	expect((await run([ada])).error?.message).toContain('but the newest is REFUSED.');
	expect(await countSendRequests(sandbox)).toBe(0);
});

it('one who has not consented stops nobody else, with On Error: Continue', async () => {
	const [ada, ben] = [person('ada'), person('ben')];
	await consent(ben, 'MANUAL', 'ACCEPTED');
	const { items } = await run([ada, ben], {}, { onError: 'continueRegularOutput' });
	expect(items).toMatchObject([
		{
			json: { error: expect.stringMatching(/^Row 1 of 2: Require Consent/) },
			pairedItem: { item: 0 },
		},
		{ json: { type: 'LRE' }, pairedItem: { item: 1 } },
	]);
});

it.each<[string, object, object]>([
	['the option is off', {}, { options: {} }],
	['the option is set to false', {}, { options: { requireConsent: false } }],
	['it is no registered letter', {}, { type: 'LS' }],
	['it goes to an organization', company, {}],
])(
	'no consent is needed, and none is looked up, where %s',
	async (_title, recipient, parameters) => {
		const { error } = await run([{ ...person('ada'), ...recipient }], parameters);
		expect(error).toBeUndefined();
		expect(await listings()).toBe(0);
	},
);

it('Check reports it, and sends nothing', async () => {
	const [ada, ben] = [person('ada'), person('ben')];
	await consent(ben, 'MANUAL', 'ACCEPTED');
	const { items } = await run([ada, ben], { operation: 'check' });
	expect(items.map(({ json }) => json.check)).toMatchObject([
		{
			ok: false,
			result: 'problem',
			problems: [
				{ parameter: 'Require Consent', message: expect.stringContaining('there is none') },
			],
		},
		{ ok: true, problems: [] },
	]);
	expect(await listings()).toBe(1);
	expect(await countSendRequests(sandbox)).toBe(0);
});

it('consents that cannot be listed: nothing leaves', async () => {
	const fault = { kind: 'status' as const, status: 403, message: 'Not for you' };
	await sandbox.control('POST /faults', { faults: [{ method: 'GET', path: '/consents', fault }] });
	const { error } = await run([person('ada')]);
	expect(error?.message).toMatch(/^Require Consent: .*Not for you/);
	expect(await countSendRequests(sandbox)).toBe(0);
});
