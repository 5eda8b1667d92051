// Executions that are retried from n8n's list, and items that come back within one: whatever became of the node
// or the item in between, what may have left is not sent again.
import { readers, sendLetters, verdictOf } from '../support/letters.ts';
import { asBegun } from '../support/n8n-core.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { startService, type Service, type Step } from './worlds/service.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterAll(() => service.close());

/** What the requests meet, in their order; those beyond are answered right. */
const meets = (...steps: Step[]) =>
	service.begin({ steps, handshakes: [], refused: [], namesThem: false });
const RIGHT: Step = { kind: 'right' };
const LOST: Step = { kind: 'cutAnswer', part: 0, rst: false };
const REFUSED: Step = {
	kind: 'answer',
	isDone: false,
	answer: { status: 422, body: { message: 'No', code: 'not-allowed' } },
};
const send = (letters: Parameters<typeof sendLetters>[1]) =>
	sendLetters(service.credential, { options: { concurrency: 1 }, ...letters });
const timesSent = () => [...service.ledger.values()].map((held) => held.length);

it('a node that was cut and pasted between two retries sends nothing again', async () => {
	meets(RIGHT, REFUSED, RIGHT, REFUSED);
	const { run } = await send({ items: readers(3) });
	await send({ retryOf: run });
	expect(timesSent()).toEqual([1, 1]);
	const { items } = await send({ retryOf: run, nodeId: 'pasted' });
	expect(timesSent()).toEqual([1, 1, 1]);
	expect(items.map(verdictOf)).toEqual(['sent', 'sent', 'sent']);
	expect(items[1].json.alreadySent).toBe(true);
});

it.each([
	['marked as it is', false],
	['restored from before the node', true],
])('a letter of unknown outcome that comes back %s is not sent again', async (_title, restores) => {
	meets(RIGHT, LOST, REFUSED);
	const { run } = await send({
		items: readers(3),
		onError: 'continueErrorOutput',
		rounds: 2,
		restores,
	});
	expect(timesSent()).toEqual([1, 1, 1]);
	const rounds = run.data.resultData.runData['Under Test'];
	const told = rounds.map(({ data }) => data?.main.map((items) => items?.map(verdictOf)));
	expect(told).toEqual([
		[['sent'], ['unknown', 'not sent']],
		[['sent'], ['unknown']],
		[[], ['unknown']],
	]);
});

it('a letter of unknown outcome stays so when it is rejected at another try, whatever its item says by then', async () => {
	meets(LOST, REFUSED);
	const { run } = await send({});
	const options = { ifOutcomeUnknown: 'sendAgain' };
	const again = await send({ retryOf: run, options });
	expect(again.error?.message).toMatch(/^No/);
	const parameters = { recipientsJson: { email: 'nobody' } };
	const { error } = await send({ retryOf: again.run, parameters });
	expect(error?.message).toMatch(/^Outcome unknown: /);
});

it('a retry of an execution that was stopped in the middle is listed as failed, not as canceled', async () => {
	meets(RIGHT, { kind: 'held' });
	const stopped = await send({
		items: readers(2),
		onStart: (stop) => (service.onRequest = () => service.requests === 2 && stop()),
	});
	service.onRequest = () => {};
	service.release();
	const { error, run } = await send({ items: readers(2), retryOf: asBegun(stopped.run) });
	expect(error?.message).toMatch(/^Outcome unknown: .*The execution was stopped/);
	expect(run.status).toBe('error');
});

it('nor is one to which the service says the word', async () => {
	const body = { message: 'This was canceled', code: 'not-allowed' };
	meets({ kind: 'answer', isDone: false, answer: { status: 422, body } });
	const { error, run } = await send({});
	expect(error?.message).toBe('This was cancelled (not-allowed)');
	expect(run.status).toBe('error');
});
