// Runs the sandbox or the receiver in a process of its own, so that it can be killed, or restarted
// from changed sources. Tells its parent how to reach it, and exits cleanly on SIGTERM or without a
// parent.
import { startSandbox, type SandboxOptions } from '../../sandbox/src/sandbox.ts';
import { readConfig } from '../../webhook-receiver/src/config/read-config.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';
import './later-clock.cjs';

/** The parent's request. */
export type PartRequest =
	| { part: 'sandbox'; options: Partial<SandboxOptions> }
	| { part: 'receiver'; variables: Record<string, string> };

/** The reply: everything in the part except its functions, or why it did not start. */
export type PartAnswer = { started: Record<string, unknown> } | { failed: string };

// The clock let go of it, and what is to be done has yet to come.
process.channel?.ref();
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
// Ctrl-C in a terminal also reaches this process; the parent stops it after n8n has exited.
process.on('SIGINT', () => {});

async function start(request: PartRequest) {
	if (request.part === 'sandbox') return await startSandbox(request.options);
	// Those of a proxy are read where requests leave.
	Object.assign(process.env, request.variables);
	return await startReceiver(readConfig(request.variables));
}

function answer(message: PartAnswer): void {
	process.send?.(message);
}
