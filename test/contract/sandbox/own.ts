// Sandboxes of one test, beside the one of its file; closed also when the test fails.
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/src/sandbox.ts';

const open: Sandbox[] = [];

afterEach(async () => {
	await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

export async function ownSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
	const sandbox = await startSandbox({ automatic: false, ...options });
	open.push(sandbox);
	return sandbox;
}
