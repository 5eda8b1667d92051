// Weeks in a minute: a workflow in a real n8n, with a receiver that goes by the sandbox's time.
import { until } from '../n8n/poll.ts';
import { sandboxState } from '../support/sandbox.ts';
import { untilAsleep } from './awaiting.ts';
import { fillIn } from './forms.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(200_000);

useStack({ receiverEnv: { CLOCK: 'service' } });

const DAY = 24 * 3_600_000;
/** As long as a person waits for it. */
const PATIENCE_MS = 120_000;

const advance = (days: number) => stack.sandbox.control.advance(days * DAY);

it('the escalation, to the end of its registered letter: 38 days', async () => {
	const workflow = await stack.importExample('escalation.json');
	await stack.api.activate(workflow.id);
	await fillIn(stack, workflow, [
		'NOTICE-38',
		'never@recipients.example',
		'Chloé',
		'Dubois',
		'rent',
	]);
	const [id] = await until('the execution', async () => {
		const ids = await stack.api.executionIds(workflow.id);
		return ids.length > 0 && ids;
	});
	const began = Date.now();
	const asleepWith = async (type: string) => {
		await until(`it to sleep after ${type}`, async () => {
			const { messages } = await sandboxState(stack.sandbox);
			const own = messages.filter(({ fileReference }) => fileReference === 'NOTICE-38');
			return own.at(-1)?.type === type;
		});
		await untilAsleep(stack, id);
	};
	await asleepWith('AES');
	// Before its deadline nothing happens, however often the time is moved.
	await advance(3);
	await advance(3);
	await untilAsleep(stack, id);
	await advance(2);
	await asleepWith('LS');
	await advance(15);
	await asleepWith('LRE');
	await advance(15);
	const { runs, error } = await stack.api.finished(id, PATIENCE_MS);
	expect(error).toBe(null);
	const left = runs['Wait 30 days for the answer'][0].map((items) =>
		items.map(({ json }) => (json.outcome as { outcome: string }).outcome),
	);
	expect(left).toEqual([[], [], [], ['expired'], []]);
	expect(Date.now() - began).toBeLessThan(PATIENCE_MS);
	await stack.api.deactivate(workflow.id);
});
