import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { root } from '../../n8n/folders.ts';
import { ReceiverApi } from '../../n8n/receiver-api.ts';
import { INGEST_SECRET } from './events.ts';
import { startProgram, type Program } from './program.ts';

export const MANAGEMENT_TOKEN = 'management-token-of-the-benchmark';

export interface ReceiverProcess extends Program {
	url: string;
	/** The receiver's API for operators. */
	api: ReceiverApi;
}

/**
 * A receiver as operators run it: its own `main.ts` and Node options, one log line per request, its
 * defaults. Only the per-address request limit is off, since the whole load comes from one address.
 */
export async function startReceiver(
	env: Record<string, string> = {},
	flags: readonly string[] = [],
): Promise<ReceiverProcess> {
	const program = await startProgram('webhook-receiver/src/main.ts', {
		flags: [...nodeOptions(), ...flags],
		ready: /"url":"([^"]+)".*"msg":"listening"/,
		env: {
			PORT: '0',
			DATABASE_FILE: join(mkdtempSync(join(tmpdir(), 'receiver-')), 'receiver.sqlite'),
			MANAGEMENT_TOKEN,
			INGEST_HMAC_SECRETS: INGEST_SECRET,
			ENCRYPTION_KEY: 'encryption-key-of-the-benchmark-alone',
			...env,
		},
	});
	const [url] = program.found;
	return { ...program, url, api: new ReceiverApi(url, MANAGEMENT_TOKEN) };
}

/** The same, but for what it stores: nothing. */
export function startStorelessReceiver(): Promise<ReceiverProcess> {
	return startReceiver({}, ['--import', new URL('storeless.mjs', import.meta.url).href]);
}

/** Those of the receiver's own start script. */
function nodeOptions(): string[] {
	const file = readFileSync(join(root, 'webhook-receiver/package.json'), 'utf8');
	const { scripts } = JSON.parse(file) as { scripts: { start: string } };
	return scripts.start.match(/--\S+/g) ?? [];
}
