import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { root } from '../../n8n/folders.ts';
import { ReceiverApi } from '../../n8n/receiver-api.ts';
import { INGEST_SECRET } from './events.ts';
import { startProgram, type Program } from './program.ts';

export const MANAGEMENT_TOKEN = 'management-token-of-the-benchmark';

/** The receiver as it is, or with a store that does less, see `other-store.ts`. */
export type Store = 'as it is' | 'storeless' | 'one commit each';

export interface ReceiverProcess extends Program {
	url: string;
	/** The receiver's API for operators. */
	api: ReceiverApi;
}

/**
 * A receiver as operators run it: its own `main.ts` and Node options, one log line per request, its
 * defaults. Only the per-address request limit is off, since the whole load comes from one address.
 *
 * @param folder of the database file, if it is to be reused
 */
export async function startReceiver({
	store = 'as it is',
	folder = mkdtempSync(join(tmpdir(), 'receiver-')),
	env = {},
}: {
	store?: Store;
	folder?: string;
	env?: Record<string, string>;
} = {}): Promise<ReceiverProcess> {
	const isItself = store === 'as it is';
	const file = isItself ? 'webhook-receiver/src/main.ts' : 'test/bench/parts/other-store.ts';
	const program = await startProgram(file, {
		flags: nodeOptions(),
		ready: /"url":"([^"]+)".*"msg":"listening"/,
		env: {
			PORT: '0',
			DATABASE_FILE: join(folder, 'receiver.sqlite'),
			MANAGEMENT_TOKEN,
			INGEST_HMAC_SECRETS: INGEST_SECRET,
			ENCRYPTION_KEY: 'encryption-key-of-the-benchmark-alone',
			BENCH_STORE: store,
			...env,
		},
	});
	const [url] = program.found;
	return { ...program, url, api: new ReceiverApi(url, MANAGEMENT_TOKEN) };
}

/** Those of the receiver's own start script. */
function nodeOptions(): string[] {
	const file = readFileSync(join(root, 'webhook-receiver/package.json'), 'utf8');
	const { scripts } = JSON.parse(file) as { scripts: { start: string } };
	return scripts.start.match(/--\S+/g) ?? [];
}
