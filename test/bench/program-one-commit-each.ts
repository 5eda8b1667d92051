// The receiver with its own store, but each request waits until the one before is committed, so that
// every one of them has a commit, and a wait for the disk, to itself.
import { readConfig } from '../../webhook-receiver/src/config.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';
import { SqliteStore } from '../../webhook-receiver/src/store/sqlite.ts';
import type { Candidate, IngestResult } from '../../webhook-receiver/src/store/store.ts';

class OneCommitEach extends SqliteStore {
	private last: Promise<unknown> = Promise.resolve();

	override ingest(candidates: readonly Candidate[], now: number): Promise<IngestResult> {
		const result = this.last.then(() => super.ingest(candidates, now));
		this.last = result.catch(() => undefined);
		return result;
	}
}

const config = readConfig(process.env);
const receiver = await startReceiver(config, { store: new OneCommitEach(config.databaseFile) });
process.once('SIGTERM', () => void receiver.close().then(() => process.exit()));
