// The receiver itself, with a store that does less: the difference is the cost of what is left out.
import { readConfig } from '../../../webhook-receiver/src/config/read-config.ts';
import { createLogger } from '../../../webhook-receiver/src/operation/logger.ts';
import { startReceiver } from '../../../webhook-receiver/src/server.ts';
import { openStore } from '../../../webhook-receiver/src/operation/store.ts';
import type { Arrival, IngestResult, Intake } from '../../../webhook-receiver/src/ingest/intake.ts';

const config = readConfig(process.env);
const logger = createLogger(config.LOG_LEVEL);
const store = await openStore(config, logger);
store.intake.add =
	process.env.BENCH_STORE === 'storeless' ? storeless : oneCommitEach(store.intake);
const receiver = await startReceiver(config, { store, logger });
process.once('SIGTERM', () => void receiver.close().then(() => process.exit()));

/** The cost of HTTP, authentication, parsing, log and metrics, without that of durability. */
async function storeless({ candidates }: Arrival): Promise<IngestResult> {
	return { accepted: candidates.length, duplicates: 0 };
}

/** Each request waits for the previous commit, and for the disk on its own. */
function oneCommitEach(whole: Intake): Intake['add'] {
	const add = whole.add.bind(whole);
	let last: Promise<unknown> = Promise.resolve();
	return (arrival) => {
		const result = last.then(() => add(arrival));
		last = result.catch(() => undefined);
		return result;
	};
}
