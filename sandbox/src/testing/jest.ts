import { sandboxClient, type SandboxClient } from '../client/client.ts';
import { startSandbox, type Sandbox, type SandboxOptions } from '../sandbox.ts';

export type { AccountAccess, SandboxOptions } from '../sandbox.ts';

/** The part of a test runner that this needs; Jest's and Vitest's are the same here. */
export interface Hooks {
	beforeAll(run: () => Promise<void>): void;
	beforeEach(run: () => Promise<void>): void;
	afterAll(run: () => Promise<void>): void;
}

/** A sandbox for the tests of one file, available while they run. */
export interface TestSandbox
	extends Pick<Sandbox, 'url' | 'pageUrl' | 'caCertificate' | 'accounts'> {
	/** Controls it. */
	control: SandboxClient;
}

export interface TestOptions extends Partial<SandboxOptions> {
	/** Where the runner has no global hooks, as Vitest by default: `{ beforeAll, beforeEach, afterAll }`. */
	hooks?: Hooks;
}

/**
 * Gives a test file a sandbox of its own, in its own process, on free ports: started before its
 * tests, reset before each, closed after them. Call it once, outside of tests.
 */
export function useSandbox({ hooks = globalHooks(), ...options }: TestOptions = {}): TestSandbox {
	let running: (Sandbox & { control: SandboxClient }) | undefined;
	hooks.beforeAll(async () => {
		const sandbox = await startSandbox(options);
		running = { ...sandbox, control: sandboxClient(sandbox.pageUrl) };
	});
	hooks.beforeEach(async () => {
		await running?.control('POST /reset');
	});
	hooks.afterAll(async () => {
		await running?.close();
		running = undefined;
	});
	const there = () => {
		if (running) return running;
		throw new Error('The sandbox runs only while tests do: use it in a test or a hook of one');
	};
	return {
		get url() {
			return there().url;
		},
		get pageUrl() {
			return there().pageUrl;
		},
		get caCertificate() {
			return there().caCertificate;
		},
		get accounts() {
			return there().accounts;
		},
		get control() {
			return there().control;
		},
	};
}

function globalHooks(): Hooks {
	const { beforeAll, beforeEach, afterAll } = globalThis as unknown as Partial<Hooks>;
	if (beforeAll && beforeEach && afterAll) return { beforeAll, beforeEach, afterAll };
	throw new Error(
		'There are no global hooks here: call useSandbox({ hooks: { beforeAll, beforeEach, afterAll } }), ' +
			'with those that your test runner exports',
	);
}
