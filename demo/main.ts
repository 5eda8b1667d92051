// The demo: everything on this machine, a letter that goes out, and its events that come back.
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { OWNER } from '../test/n8n/api.ts';
import { localFolder, packTarball } from '../test/n8n/pack.ts';
import { startStack, type Stack } from '../test/n8n/stack.ts';
import { sendLetterAndFollow } from './letter.ts';
import { PORTS } from './ports.ts';

const { values: flags } = parseArgs({ options: { exit: { type: 'boolean', default: false } } });

const stopping = new AbortController();
const starting = start(stopping.signal);

process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void stop(0));
process.on('SIGHUP', () => void stop(0));

try {
	await show(await starting);
} catch (error) {
	// A step that a stop interrupts has not failed.
	if (!stopping.signal.aborted) {
		console.error(`\n✗ ${(error as Error).message}`);
		await stop(1);
	}
}

async function start(signal: AbortSignal): Promise<Stack> {
	const onStep = (step: string) => console.log(`… ${step}`);
	onStep('Building the pack');
	const tarball = await packTarball();
	return await startStack({
		folder: join(localFolder, 'demo'),
		tarball,
		ports: PORTS,
		// The sandbox's letters finish within seconds, and people want to see it that soon.
		receiverEnv: { WATCH_DELAYS: '0s:3s,10m:1m,1d:1h' },
		onStep,
		signal,
	});
}

async function show(stack: Stack): Promise<void> {
	printAddresses(stack);
	console.log('A letter on its way:');
	const succeeded = await sendLetterAndFollow(stack, (line) => console.log(`  ${line}`));
	console.log(
		succeeded
			? '\n✓ Every step happened: the letter went out, and its events started a workflow.'
			: '\n✗ Not every step happened; see above.',
	);
	if (flags.exit || !succeeded) await stop(succeeded ? 0 : 1);
	else console.log('\nAll of it keeps running. Press Ctrl-C to end it.');
}

function printAddresses({ n8n, sandbox, receiver, managementToken }: Stack): void {
	const rows = [
		['n8n editor', n8n.url, `${OWNER.email} / ${OWNER.password}`],
		['Mails of the sandbox', sandbox.pageUrl, 'what recipients got, with their buttons'],
		['Service of the sandbox', sandbox.url, 'credential "Registered Delivery (sandbox)"'],
		['Webhook receiver', receiver.url, `management token ${managementToken}`],
	];
	console.log('');
	for (const [what, address, note] of rows) {
		console.log(`  ${what.padEnd(24)}${address.padEnd(26)}${note}`);
	}
	console.log('');
}

/** Stops everything, even what is still starting; later calls do nothing. */
async function stop(code: number): Promise<void> {
	if (stopping.signal.aborted) return;
	stopping.abort();
	console.log('\n… Stopping');
	const stack = await starting.catch(() => null);
	await stack?.close();
	console.log('✓ Everything has ended.');
	process.exit(code);
}
