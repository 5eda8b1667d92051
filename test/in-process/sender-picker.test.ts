// Send Letter's choice of a customer to send for.
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { runNode } from '../support/n8n-core.ts';
import { searchList } from '../support/picker.ts';
import { sandboxState, serviceCredential, startStrictSandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startStrictSandbox();
});
afterAll(() => sandbox.close());

const credentials = () => ({ registeredDeliveryApi: serviceCredential(sandbox, 'reseller') });
const customerId = async (state: string) =>
	(await sandboxState(sandbox)).customers.find((one) => one.state === state)?.id ?? '';

it('[SEND-06][N] offers only customers that letters can be sent for', async () => {
	const { results } = await searchList(new SendLetter(), 'searchAcceptedCustomers', credentials());
	expect(results).toEqual([
		{ name: 'Boulangerie Lune (lune@customers.example)', value: await customerId('ACCEPTED') },
	]);
});

it.each([
	['chosen from the list', (value: string) => ({ __rl: true, mode: 'list', value })],
	['given by ID', (value: string) => ({ __rl: true, mode: 'id', value: ` ${value} ` })],
	['of an older workflow', (value: string) => value],
	['from an expression', (value: string) => `={{ "${value}" }}`],
])('[SEND-06][N] a sender %s goes out', async (_, choose) => {
	const id = await customerId('ACCEPTED');
	const { error } = await runNode(new SendLetter(), {
		parameters: {
			type: 'LS',
			body: '<p>Hello there</p>',
			recipientsFrom: 'json',
			recipientsJson: { email: 'a@recipients.example', firstname: 'A', lastname: 'B' },
			options: { sender: choose(id) },
		} as never,
		credentials: credentials(),
	});
	expect(error).toBeUndefined();
	expect((await sandboxState(sandbox)).messages.at(-1)?.sender).toBe(id);
});
