#!/usr/bin/env node
import { ConfigError, readConfig } from './config.ts';
import { startReceiver } from './server.ts';
import type { Receiver } from './server.ts';
import { help } from './variables.ts';

async function main(): Promise<void> {
	if (process.argv.includes('--help') || process.argv.includes('-h')) {
		process.stdout.write(help());
		return;
	}
	const receiver = await startReceiver(readConfig(process.env));
	process.once('SIGTERM', () => void stop(receiver));
	process.once('SIGINT', () => void stop(receiver));
}

/** A second signal finds no handler any more and ends the process at once. */
async function stop(receiver: Receiver): Promise<void> {
	await receiver.close();
	process.exitCode = 0;
}

main().catch((error: unknown) => {
	const isForOperators = error instanceof ConfigError || error instanceof Error;
	process.stderr.write(`${isForOperators ? error.message : String(error)}\n`);
	if (error instanceof ConfigError) process.stderr.write('--help lists every variable.\n');
	process.exitCode = 1;
});
