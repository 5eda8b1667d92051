// Times that an expression works out, on their way from n8n to the service.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { runNode } from '../support/n8n-core.ts';
import { sandboxState, serviceCredential, startStrictSandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startStrictSandbox();
});
afterAll(() => sandbox.close());

const send = (scheduledAt: string, count = 1) =>
	runNode(new SendLetter(), {
		parameters: {
			type: 'LS',
			body: '<p>Hello there</p>',
			recipientsFrom: 'json',
			recipientsJson: '={{ [{ email: $json.email, firstname: "A", lastname: "B" }] }}',
			options: { groupRecipients: true, scheduledAt },
		} as never,
		credentials: { registeredDeliveryApi: serviceCredential(sandbox, 'direct') },
		items: Array.from({ length: count }, (_, index) => ({
			json: { email: `reader${index}@recipients.example` },
		})),
	});

it.each(['{ minutes: 15 }', '{ days: 90 }'])(
	'[SCHD-02][N] $now.plus(%s) is taken, by the node and by the service',
	async (duration) => {
		const { error, items } = await send(`={{ $now.plus(${duration}) }}`);
		// Where clocks go back within the 90 days they are longer by the calendar, which is refused.
		if (error && /clocks of/.test(error.message)) return;
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
	},
);

it('[SCHD-01][N] letters at a computed time share a request', async () => {
	const before = (await sandboxState(sandbox)).requests.length;
	const { error } = await send('={{ $now.plus({ days: 1 }) }}', 20);
	expect(error).toBeUndefined();
	// Two only if the minute changed meanwhile.
	expect((await sandboxState(sandbox)).requests.length - before).toBeLessThanOrEqual(2);
});
