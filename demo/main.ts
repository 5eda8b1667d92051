// The demo: everything on this machine, a letter that goes out, and its events that come back. With --dev
// no letter goes out: changes of the sources come in.
import { parseArgs } from 'node:util';

import { OWNER, type StoredWorkflow } from '../test/n8n/api.ts';
import { missingCredentials } from '../test/n8n/example-workflows.ts';
import { packTarball } from '../test/n8n/pack.ts';
import { startStack, type Stack } from '../test/n8n/stack.ts';
import { followSources } from './follow-sources.ts';
import { sendLetterAndFollow } from './letter.ts';
import { onlyOne } from './only-one.ts';

const { values: flags } = parseArgs({
	options: {
		dev: { type: 'boolean', default: false },
		exit: { type: 'boolean', default: false },
		folder: { type: 'string', default: '' },
	},
});

/** The usual ports; the next free one is used if one is taken. */
const PORTS = { n8n: 5678, receiver: 8080, sandbox: 8443, page: 8025 };

const lock = await onlyOne(flags.folder).catch((error: Error) => {
	console.error(`✗ ${error.message}`);
	process.exit(1);
});
const stopping = new AbortController();
const starting = start(stopping.signal);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
	process.on(signal, () => void stop(0));

try {
	await show(await starting);
} catch (error) {
	// A step interrupted by a stop has not failed.
	if (!stopping.signal.aborted) {
		console.error(`\n✗ ${(error as Error).message}`);
		await stop(1);
	}
}

async function start(signal: AbortSignal): Promise<Stack> {
	const onStep = (step: string) => console.log(`… ${step}`);
	onStep('Building the pack');
	const tarball = await packTarball(flags.folder);
	return await startStack({
		folder: flags.folder,
		tarball,
		ports: PORTS,
		ownProcesses: flags.dev,
		n8nEnv: flags.dev ? { N8N_DEV_RELOAD: 'true' } : undefined,
		// The sandbox's letters finish within seconds, and people want to see it that soon.
		receiverEnv: { WATCH_DELAYS: '0s:3s,10m:1m,1d:1h', CLOCK: 'service' },
		onStep,
		signal,
	});
}

async function show(stack: Stack): Promise<void> {
	await lock.tell(stack.n8n.url);
	console.log('… Importing the examples');
	const examples = await stack.addExamples();
	printAddresses(stack);
	printExamples(stack, examples);
	if (flags.dev) return await followSources(stack, flags.folder, stopping.signal);
	console.log('A letter on its way:');
	const print = (line: string) => console.log(`  ${line}`);
	const succeeded = await sendLetterAndFollow(stack, examples, print).catch((error: Error) => {
		// Whatever the user has made of the two workflows, everything else runs.
		stopping.signal.throwIfAborted();
		print(`✗ ${error.message}`);
		return false;
	});
	console.log(
		succeeded
			? '\n✓ Every step happened: the letter went out, and its events started a workflow.'
			: '\n✗ Not every step happened; see above. Was one of the two workflows changed?',
	);
	if (flags.exit) await stop(succeeded ? 0 : 1);
	else console.log('\nEverything keeps running. Press Ctrl-C to stop.');
}

function printAddresses({ n8n, sandbox, receiver, managementToken }: Stack): void {
	const rows = [
		['n8n editor', n8n.url, `${OWNER.email} / ${OWNER.password}`],
		['Mails of the sandbox', sandbox.pageUrl, 'what recipients got, with buttons to act on it'],
		[
			'Accounts of the sandbox',
			`${sandbox.pageUrl}/accounts`,
			'the fields of a credential, to copy',
		],
		['Webhook receiver', receiver.url, `management token ${managementToken}`],
	];
	console.log('');
	for (const [what, address, note] of rows) {
		console.log(`  ${what.padEnd(25)}${address.padEnd(33)}${note}`);
	}
	console.log('');
}

function printExamples(stack: Stack, examples: Map<string, StoredWorkflow>): void {
	const missing = [...examples.values()].map(({ name, nodes }) => ({
		name,
		credentials: missingCredentials(nodes, stack.credentialNames),
	}));
	const ready = missing.filter(({ credentials }) => credentials.length === 0);
	console.log(`Examples in the editor, ready to run: ${ready.length}`);
	for (const { name, credentials } of missing) {
		if (credentials.length > 0) console.log(`  “${name}” needs your ${credentials.join(', ')}`);
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
	await lock.release();
	console.log('✓ Everything has ended.');
	process.exit(code);
}
