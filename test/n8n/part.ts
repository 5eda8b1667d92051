// The sandbox or the receiver in a process of its own, so that it can be killed, or started anew from
// changed sources. Says to its parent how to reach it, and ends in order on SIGTERM or without a parent.
import { startSandbox, type SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { readConfig } from '../../webhook-receiver/src/config.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';

/** What the parent asks for. */
export type PartRequest =
	| { part: 'sandbox'; options: Partial<SandboxOptions> }
	| { part: 'receiver'; variables: Record<string, string> };

/** What it is told: all of the part but its functions, or why it did not start. */
export type PartAnswer = { started: Record<string, unknown> } | { failed: string };

process.once('message', (request: PartRequest) => {
	start(request).then(
		(running) => {
			const { close, ...started } = running;
			const end = () => void close().then(() => process.exit(0));
			process.once('SIGTERM', end);
			process.once('disconnect', end);
			answer({ started });
		},
		(error: Error) => {
			answer({ failed: error.message });
			process.exitCode = 1;
			process.disconnect();
		},
	);
});
// Ctrl-C in a terminal reaches this process as well; the parent ends it when n8n has ended.
process.on('SIGINT', () => {});

async function start(request: PartRequest) {
	if (request.part === 'sandbox') return await startSandbox(request.options);
	return await startReceiver(readConfig(request.variables));
}

function answer(message: PartAnswer): void {
	process.send?.(message);
}
