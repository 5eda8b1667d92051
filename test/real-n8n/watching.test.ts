// What the service has no webhook for starts a workflow, in a real n8n: a registered letter sent with Watch
// that is accepted.
import { until } from '../n8n/poll.ts';
import { eventsOf, saveFollower } from './events.ts';
import { START, sendLetter } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(400_000);

useStack({
	receiverEnv: { WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' },
});

it('starts a workflow by letter.accepted of an LRE that was sent with Watch', async () => {
	const follower = await saveFollower(stack, 'Accepted', ['letter.accepted'], {
		statuses: ['ACCEPTED'],
		fileReference: 'INV-1',
	});
	await stack.activate(follower);
	const { credentials } = stack;
	const recipients = ['accept', 'refuse'].map((address) => ({
		email: `${address}@recipients.example`,
		firstname: 'Ada',
		lastname: 'Martin',
	}));
	const send = sendLetter(
		{
			type: 'LRE',
			recipientsJson: JSON.stringify(recipients),
			options: { watch: true, fileReference: 'INV-1' },
		},
		{ credentials },
	);
	const workflow = await stack.api.saveWorkflow({
		name: 'Send and watch',
		nodes: [START, { ...send, position: [200, 0] }],
		connections: { Start: { main: [[{ node: 'Send Letter', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1', saveManualExecutions: true },
	});
	const { status, output } = await stack.api.run(workflow);
	expect(status).toBe('success');
	const [{ json }] = output['Send Letter'];
	expect(json).not.toHaveProperty('watch');
	const [accepted] = (json.messages as Array<{ id: string; email: string }>).filter(({ email }) =>
		email.startsWith('accept'),
	);

	const started = async () => (await eventsOf(stack, follower)).length > 0;
	await until('an execution started by letter.accepted', started, 150);
	expect(await eventsOf(stack, follower)).toMatchObject([
		{
			type: 'letter.accepted',
			status: 'ACCEPTED',
			sourceType: 'status',
			terminal: true,
			messageId: accepted.id,
			messageType: 'LRE',
		},
	]);
});
