import type { Round } from './benchmark.ts';
import { CONSUMERS, compareIngest } from './ingest.ts';
import type { Load } from './load.ts';
import { STORELESS } from './programs.ts';
import { addConsumers, startReceiver } from './receiver.ts';
import type { ReceiverProcess } from './receiver.ts';
import type { Comparison } from './rounds.ts';

/**
 * Events a second of a receiver and of the same app without a store.
 *
 * @param env what says which store it has
 */
export async function compareWithStoreless(
	load: Load,
	started: (one: ReceiverProcess) => ReceiverProcess,
	round: Round,
	env: Record<string, string> = {},
): Promise<Comparison> {
	const receiver = started(await startReceiver({ env }));
	const storeless = started(await startReceiver({ program: STORELESS }));
	await addConsumers(receiver, CONSUMERS);
	return compareIngest(load, round, {
		ours: { name: 'durable', url: receiver.url },
		theirs: { name: 'storeless', url: storeless.url },
	});
}
