// A consent holds for the customer on whose behalf it was asked for, and for nobody else.
import { AwaitConsent } from '../../nodes/AwaitConsent/AwaitConsent.node.ts';
import { cleanUp, start, TOKEN } from '../contract/receiver/harness.ts';
import { runNode } from '../support/n8n-core.ts';
import { byReceiver } from '../support/sandbox.ts';
import { useStub } from './services.ts';

const stub = useStub();
let receiver: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
	receiver = await start();
});
afterAll(cleanUp);

const CUSTOMER = '00000000-0000-4000-8000-0000000000c1';
const OTHER = '00000000-0000-4000-8000-0000000000c2';

/** Whether who has consented for one of them leaves at once; else it would be asked, for which there is no receiver. */
async function isKnown(asked: string | null, wanted: string | null): Promise<boolean> {
	const email = 'ada@x.example';
	const consent = { id: 'c1', type: 'EMAIL', state: 'ACCEPTED', email, sender: asked };
	const dated = { ...consent, createdAt: '2026-01-02T00:00:00Z' };
	// In another spelling, as the service may list both.
	const older = {
		id: 'c0',
		state: 'REFUSED',
		email: 'ADA@x.example',
		createdAt: '2026-01-01T00:00:00Z',
	};
	stub.answer = () => ({
		body: {
			data: [dated, { ...consent, ...older }],
			meta: { currentPage: 1, lastPage: 1, total: 2 },
		},
	});
	const { items, error } = await runNode(new AwaitConsent(), {
		parameters: {
			recipientsFrom: 'json',
			recipientsJson: { email, firstname: 'Ada', lastname: 'Martin' },
			options: wanted === null ? {} : { sender: { __rl: true, mode: 'id', value: wanted } },
		},
		credentials: {
			registeredDeliveryApi: { ...stub.credential, ...byReceiver('http://127.0.0.1:9', 'token') },
		},
	});
	if (error !== undefined) expect(error.message).toMatch(/receiver cannot be reached/);
	return items.length === 1;
}

it.each([
	[null, null, true],
	[CUSTOMER, CUSTOMER, true],
	[CUSTOMER.toUpperCase(), CUSTOMER, true],
	[CUSTOMER, null, false],
	[null, CUSTOMER, false],
	[OTHER, CUSTOMER, false],
])('[CONS-06][N] one for %s counts where %s asks: %s', async (asked, wanted, counts) => {
	expect(await isKnown(asked, wanted)).toBe(counts);
});

describe('a contact of two items, for a customer each', () => {
	const run = async () =>
		await runNode(new AwaitConsent(), {
			items: [{ json: { sender: CUSTOMER } }, { json: { sender: OTHER } }],
			parameters: {
				recipientsFrom: 'json',
				recipientsJson: { email: 'ada@x.example', firstname: 'Ada', lastname: 'Martin' },
				options: { sender: { __rl: true, mode: 'id', value: '={{ $json.sender }}' } },
			},
			credentials: {
				registeredDeliveryApi: { ...stub.credential, ...byReceiver(receiver.url, TOKEN) },
			},
			onError: 'continueRegularOutput',
		});

	it('[CONS-06][N] who has consented for one has not for the other', async () => {
		stub.answer = ({ query }) => {
			const sender = query.get('sender');
			const state = sender === CUSTOMER ? 'ACCEPTED' : 'REFUSED';
			const consent = { id: `for ${sender}`, type: 'EMAIL', state, email: 'ada@x.example', sender };
			return { body: { data: [consent], meta: { currentPage: 1, lastPage: 1, total: 1 } } };
		};
		const { data } = (await run()).run;
		const outputs = data.resultData.runData['Under Test'][0].data?.main ?? [];
		expect(outputs.map((items) => items?.map(({ json }) => json.outcome))).toMatchObject([
			[{ consentId: `for ${CUSTOMER}`, outcome: 'accepted' }],
			[{ consentId: `for ${OTHER}`, outcome: 'refused' }],
			[],
		]);
	});

	it('[CONS-06][N] is asked for each', async () => {
		const senders: unknown[] = [];
		stub.answer = ({ method, body }) => {
			if (method === 'GET') {
				return { body: { data: [], meta: { currentPage: 1, lastPage: 1, total: 0 } } };
			}
			senders.push((JSON.parse(body) as { sender: unknown }).sender);
			return { status: 403, body: { message: 'Not for you' } };
		};
		await run();
		expect(senders.sort()).toEqual([CUSTOMER, OTHER]);
	});
});
