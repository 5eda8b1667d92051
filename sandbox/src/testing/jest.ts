import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { withClients } from '../client/with-clients.ts';
import type { Sandbox, SandboxOptions } from '../sandbox.ts';

export type { AccountAccess, SandboxOptions } from '../sandbox.ts';

/** The part of a test runner that this needs; Jest's and Vitest's are the same here. */
export interface Hooks {
	beforeAll(run: () => Promise<void>, timeoutMs?: number): void;
	beforeEach(run: () => Promise<void>, timeoutMs?: number): void;
	afterAll(run: () => Promise<void>, timeoutMs?: number): void;
}

/** A sandbox for the tests of one file, available while they run. */
export type TestSandbox = Omit<Sandbox, 'close'>;

export interface TestOptions extends Omit<Partial<SandboxOptions>, 'report'> {
	/** Where the runner has no global hooks, as Vitest by default: `{ beforeAll, beforeEach, afterAll }`. */
	hooks?: Hooks;
}

/** Runners allow 5 s, which is little on a machine that is busy with other tests. */
const PATIENCE_MS = 60_000;

/** Beside this file: in the sources as TypeScript, in the package as JavaScript. */
const THREAD = new URL(import.meta.url.replace(/jest(?=\.\w+$)/, 'thread'));

/**
 * Gives a test file a sandbox of its own, on free ports: started before its tests, reset before each,
 * closed after them. Call it once, outside of tests. It runs in a thread of its own, where the fake timers
 * of the test runner don't reach it.
 */
export function useSandbox({ hooks = globalHooks(), ...options }: TestOptions = {}): TestSandbox {
	let thread: Worker | undefined;
	let running: TestSandbox | undefined;
	hooks.beforeAll(async () => {
		thread = new Worker(THREAD, { workerData: options });
		const [started] = (await once(thread, 'message')) as [TestSandbox];
		running = withClients(started);
	}, PATIENCE_MS);
	hooks.beforeEach(async () => {
		await running?.control.reset();
	}, PATIENCE_MS);
	hooks.afterAll(async () => {
		if (thread === undefined) return;
		// One that is late, or has failed, would keep the runner from its end.
		if (running === undefined) return void (await thread.terminate());
		running = undefined;
		thread.postMessage('close');
		await once(thread, 'exit');
	}, PATIENCE_MS);
	const there = () => {
		if (running) return running;
		throw new Error('The sandbox runs only while tests do: use it in a test or a hook of one');
	};
	return new Proxy({} as TestSandbox, {
		get: (_, name) => there()[name as keyof TestSandbox],
	});
}

function globalHooks(): Hooks {
	const { beforeAll, beforeEach, afterAll } = globalThis as unknown as Partial<Hooks>;
	if (beforeAll && beforeEach && afterAll) return { beforeAll, beforeEach, afterAll };
	throw new Error(
		'There are no global hooks here: call useSandbox({ hooks: { beforeAll, beforeEach, afterAll } }), ' +
			'with those that your test runner exports',
	);
}
