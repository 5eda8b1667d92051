// The receiver itself, but events are not stored: what HTTP, authentication, reading, log and metrics
// cost, without what durability costs.
import { readConfig } from '../../webhook-receiver/src/config.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';
import { SqliteStore } from '../../webhook-receiver/src/store/sqlite.ts';
import type { Candidate, IngestResult } from '../../webhook-receiver/src/store/store.ts';

class Storeless extends SqliteStore {
	override async ingest(candidates: readonly Candidate[]): Promise<IngestResult> {
		return { accepted: candidates.length, duplicates: 0 };
	}
}

const config = readConfig(process.env);
const receiver = await startReceiver(config, { store: new Storeless(config.databaseFile) });
process.once('SIGTERM', () => void receiver.close().then(() => process.exit()));
