import { Registry } from 'prom-client';
import type { Capability, Kernel, Running } from './capability.ts';
import { createCounts } from './http/counts.ts';
import { createIntake, DUPLICATE_KEYS_TABLE } from './log/intake.ts';
import { learning } from './log/learn.ts';
import { RECORDS_TABLE } from './log/record-rows.ts';
import { BATCHES_TABLE } from './queue/batch-rows.ts';
import { CONSUMERS_TABLE } from './queue/consumer-rows.ts';
import { consumersIn } from './queue/consumers.ts';
import type { NoteLoss } from './queue/consumers.ts';
import { Pulls } from './queue/pulls.ts';
import { EVENTS_TABLE } from './sql/log.ts';
import type { Schema } from './sql/statements.ts';
import { Use } from './time/idle.ts';

const TABLES = [EVENTS_TABLE, RECORDS_TABLE, DUPLICATE_KEYS_TABLE, CONSUMERS_TABLE, BATCHES_TABLE];

/** The tables of the kernel and of these. */
export function schemasOf(capabilities: readonly Capability[]): Schema[] {
	const own = { name: 'kernel', steps: [TABLES.join('\n')] };
	return [own, ...capabilities.map(({ name, steps = [] }) => ({ name, steps }))];
}

type Given =
	| 'config'
	| 'clock'
	| 'logger'
	| 'database'
	| 'wake'
	| 'reread'
	| 'renew'
	| 'isStopping';

/**
 * What every event passes: verified, read, folded into its letter's record, appended to the log, and handed
 * out to who pulls. `started` is filled as the capabilities start.
 */
export function createKernel(given: Pick<Kernel, Given>, started: readonly Running[]): Kernel {
	const { clock, logger, database } = given;
	const registry = new Registry();
	const counts = createCounts(registry);
	const learn = learning(started);
	const noteLoss: NoteLoss = async (...loss) => {
		for (const { lost } of started) await lost?.(...loss);
	};
	const wakeUps = () => started.find((one) => one.wakeUps)?.wakeUps;
	const watches = () => started.find((one) => one.watches)?.watches;
	const consumers = consumersIn(database, noteLoss, wakeUps);
	const isWatching = () => watches() !== undefined;
	const parts = { database, consumers, clock, logger, counts, wakeUps, isWatching };
	const pulls = new Pulls(parts);
	return {
		...given,
		registry,
		counts,
		learn,
		noteLoss,
		noteRefusal(...refusal) {
			for (const { refused } of started) refused?.(...refusal);
		},
		intake: createIntake(database, learn),
		consumers,
		pulls,
		capabilities: started,
		get watches() {
			return watches();
		},
		use: new Use(clock, () => pulls.open.isWaiting()),
	};
}
