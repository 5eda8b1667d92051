import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Sandbox, SandboxOptions } from '../sandbox/src/sandbox.ts';
import { root } from '../test/n8n/pack.ts';
import { Stack } from '../test/n8n/stack.ts';
import type { Receiver } from '../webhook-receiver/src/server.ts';
import type { PartAnswer, PartRequest } from './part.ts';

export type PartName = PartRequest['part'];

/** A stack whose sandbox and receiver run in processes of their own and can be started anew. */
export class DevStack extends Stack {
	private readonly requests = new Map<PartName, PartRequest>();
	private readonly processes = new Map<PartName, ChildProcess>();

	/** Ends the part and starts it again, on the same ports and data, from its sources as they are now. */
	async restart(part: PartName): Promise<void> {
		await this.end(part);
		await this.run(part);
	}

	protected override async startSandbox(options: Partial<SandboxOptions>): Promise<Sandbox> {
		this.requests.set('sandbox', { part: 'sandbox', options });
		const started = (await this.run('sandbox')) as unknown as Omit<Sandbox, 'close'>;
		return { ...started, close: () => this.end('sandbox') };
	}

	protected override async startReceiver(): Promise<Receiver> {
		this.requests.set('receiver', { part: 'receiver', variables: this.receiverVariables() });
		const started = (await this.run('receiver')) as unknown as Omit<Receiver, 'close'>;
		return { ...started, close: () => this.end('receiver') };
	}

	/** @throws Error when it does not start, with what it said about it. */
	private async run(part: PartName): Promise<Record<string, unknown>> {
		const child = fork(join(root, 'demo', 'part.ts'), {
			execArgv: ['--disable-warning=ExperimentalWarning'],
			stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
		});
		this.processes.set(part, child);
		child.send(this.requests.get(part) as PartRequest);
		const answer = await new Promise<PartAnswer>((resolve) => {
			child.once('message', (message) => resolve(message as PartAnswer));
			child.once('exit', () => resolve({ failed: 'its process ended; see above' }));
		});
		if ('started' in answer) return answer.started;
		throw new Error(`The ${part} did not start: ${answer.failed}`);
	}

	private async end(part: PartName): Promise<void> {
		const child = this.processes.get(part);
		if (!child || child.exitCode !== null || child.signalCode !== null) return;
		child.kill('SIGTERM');
		await once(child, 'exit');
	}
}
