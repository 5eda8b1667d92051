// A consent holds for the customer on whose behalf it was asked for, and for nobody else.
import { AwaitConsent } from '../../nodes/AwaitConsent/AwaitConsent.node.ts';
import { runNode } from '../support/n8n-core.ts';
import { byReceiver } from '../support/sandbox.ts';
import { useStub } from './services.ts';

const stub = useStub();

const CUSTOMER = '00000000-0000-4000-8000-0000000000c1';
const OTHER = '00000000-0000-4000-8000-0000000000c2';

/** Whether who has consented for one of them leaves at once; else it would be asked, for which there is no receiver. */
async function isKnown(asked: string | null, wanted: string | null): Promise<boolean> {
	const email = 'ada@x.example';
	const consent = { id: 'c1', type: 'EMAIL', state: 'ACCEPTED', email, sender: asked };
	stub.answer = () => ({
		body: { data: [consent], meta: { currentPage: 1, lastPage: 1, total: 1 } },
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
