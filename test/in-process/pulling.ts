// What the tests of the trigger share: a receiver, n8n, and a wire between them, fresh for each test.
import type { Pull } from '../../webhook-receiver/src/core/pull-contract.ts';
import { until } from '../contract/receiver/harness.ts';
import { managementToken, PulledReceiver } from './pulled-receiver.ts';
import { N8nDatabase, N8nProcess, type Publishing } from './pulling-n8n.ts';

export let receiver: PulledReceiver;
export let n8n: N8nProcess;
const processes: N8nProcess[] = [];

/** @param variables of the receiver, besides its own */
export function usePulling(variables?: () => Record<string, string>): void {
	beforeEach(async () => {
		receiver = await PulledReceiver.start(variables?.());
		n8n = await another();
	});
	afterEach(async () => {
		jest.restoreAllMocks();
		for (const one of processes.splice(0)) {
			one.wire.fate = () => undefined;
			await one.close();
			one.wire.cut();
		}
		await receiver.end();
	});
}

/** Another process of n8n, by default with a database of its own. */
export async function another(database = new N8nDatabase()): Promise<N8nProcess> {
	const one = await N8nProcess.start(receiver.url, database);
	processes.push(one);
	return one;
}

export async function publish(more: Partial<Publishing> = {}, one = n8n): Promise<void> {
	await one.publish({ managementToken, ...more });
}

export const NEW_TOKEN = 'another-token-of-the-test';

/** The receiver has a new token from now on, and refuses that which n8n has. */
export async function replaceToken(): Promise<void> {
	await receiver.stop();
	await receiver.start(NEW_TOKEN);
	n8n.wire.target = receiver.url;
}

/** Waits until so many executions have started. */
export async function started(count: number, { database } = n8n): Promise<void> {
	const { executions } = database;
	await until(
		() => executions.length >= count,
		() => `execution ${count} of ${executions.length}`,
	);
}

/** Waits until nothing is left to do. */
export async function drained(): Promise<void> {
	await until(async () => await receiver.isDrained(), 'an empty queue');
}

/** The letters that executions have started for, in order. */
export function letters(): number[] {
	return n8n.database.events.map(({ messageId }) => Number(messageId));
}

export function pulls(): Pull[] {
	return n8n.wire.requests.map(({ body }) => body as Pull);
}

/** Pulls that said this of a batch, or of any. */
export function pullsThatSay(outcome: string, batch?: string): Pull[] {
	return pulls().filter(({ settle }) =>
		settle.some((one) => one.outcome === outcome && (batch ?? one.batch) === one.batch),
	);
}

/**
 * Waits until a pull is held: the next events go out with it, whatever becomes of later ones. A
 * report may arrive behind it.
 */
export async function isHeld(): Promise<void> {
	const { unanswered } = n8n.wire;
	await until(() => [...unanswered].some(({ body }) => (body as Pull).openMs > 0), 'an open pull');
	// Comes behind it at the receiver.
	await receiver.consumers();
}

/** Waits for so many more requests. */
export async function tries(count: number): Promise<void> {
	const { length } = n8n.wire.requests;
	await until(() => n8n.wire.requests.length >= length + count, 'tries');
}
