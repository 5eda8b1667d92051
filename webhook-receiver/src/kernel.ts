import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Capability, Kernel, Running } from './capability.ts';
import type { ReceiverConfig } from './config/read-config.ts';
import { Refusals } from './http/access.ts';
import { createCounts } from './http/counts.ts';
import { createIntake, DUPLICATE_KEYS_TABLE } from './log/intake.ts';
import { LETTER_COUNTS_TABLE } from './log/letter-counts.ts';
import { learning, RECORDS_TABLE } from './log/record-rows.ts';
import type { Loops } from './loops.ts';
import { BATCHES_TABLE } from './queue/batch-rows.ts';
import { CONSUMERS_TABLE } from './queue/consumer-rows.ts';
import { consumersIn } from './queue/consumers.ts';
import { Pulls } from './queue/pulls.ts';
import type { NoteLoss } from './queue/remove.ts';
import { EVENTS_TABLE } from './sql/log.ts';
import type { Engine } from './sql/engine.ts';
import type { Seals } from './sql/seals.ts';
import type { Schema } from './sql/statements.ts';
import type { Clock } from './time/clock.ts';
import { Use } from './time/idle.ts';

const KERNEL: Schema = {
	name: 'kernel',
	steps: [
		[
			EVENTS_TABLE,
			RECORDS_TABLE,
			LETTER_COUNTS_TABLE,
			DUPLICATE_KEYS_TABLE,
			CONSUMERS_TABLE,
			BATCHES_TABLE,
		].join('\n'),
	],
};

/** The tables of the kernel and of these. */
export function schemasOf(capabilities: readonly Capability[]): Schema[] {
	return [KERNEL, ...capabilities.map(({ name, steps = [] }) => ({ name, steps }))];
}

interface KernelParts {
	database: Engine;
	seals: Seals;
	config: ReceiverConfig;
	clock: Clock;
	logger: Logger;
	/** Which it wakes. */
	loops: () => Loops;
}

/**
 * What every event passes: verified, read, folded into its letter's record, appended to the log, and handed
 * out to who pulls. `started` is filled as the capabilities start.
 */
export function createKernel({ loops, ...parts }: KernelParts, started: readonly Running[]) {
	const { clock, logger, database } = parts;
	const registry = new Registry();
	const counts = createCounts(registry);
	const learn = learning(started);
	const noteLoss: NoteLoss = async (...loss) => {
		for (const { lost } of started) await lost?.(...loss);
	};
	const wakeUps = () => started.find((one) => one.wakeUps)?.wakeUps;
	const consumers = consumersIn(database, noteLoss, wakeUps);
	const isWatching = () => started.some(({ watches }) => watches);
	const pulls = new Pulls({
		consumers,
		clock,
		logger,
		counts,
		wakeUps,
		isWatching,
	});
	const use = new Use(clock, () => pulls.open.isWaiting());
	const kernel: Kernel = {
		...parts,
		registry,
		counts,
		refusals: new Refusals(clock),
		learn,
		noteLoss,
		consumers,
		pulls,
		capabilities: started,
		get isWatching() {
			return isWatching();
		},
		isIdle: use.isIdle,
		wake: () => loops().wake(),
	};
	return { kernel, use, intake: createIntake(database, learn) };
}
