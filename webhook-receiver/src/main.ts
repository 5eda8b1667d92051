#!/usr/bin/env node
import { ConfigError, readConfig } from './config/read-config.ts';
import { startReceiver } from './server.ts';
import type { Receiver } from './server.ts';
import { help } from './config/variables.ts';

async function main(): Promise<void> {
	if (process.argv.includes('--help') || process.argv.includes('-h')) {
		process.stdout.write(help());
		return;
	}
	const reread = () => readConfig(process.env);
	const starting = startReceiver(reread(), { reread });
	// Before it says that it listens: a reader of that may stop it at once. SIGHUP: its terminal was closed.
	for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
		process.once(signal, () => void starting.then(stop, () => undefined));
	}
	await starting;
}

/** A database may keep closed connections, and so the process, for minutes. */
const LINGER_MS = 3_000;

/** The handlers run once, so a second signal ends the process at once. */
async function stop(receiver: Receiver): Promise<void> {
	await receiver.close();
	end(0);
}

function end(code: number): void {
	process.exitCode = code;
	setTimeout(() => process.exit(), LINGER_MS).unref();
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	if (error instanceof ConfigError) process.stderr.write('--help lists every variable.\n');
	end(1);
});
