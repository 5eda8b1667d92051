// A receiver that can reach only the service it watches, and above all not n8n.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { root } from '../n8n/folders.ts';
import type { Stack } from '../n8n/stack.ts';
import { serviceCredential } from '../support/sandbox.ts';

export const GUARD = join(root, 'test/real-n8n/cut-off-guard.mjs');

export interface CutOffReceiver {
	url: string;
	/** Addresses it tried to connect to, other than the service's. */
	attempts(): string[];
	close(): Promise<void>;
}

/** Replaces the stack's own receiver: same address, same data. */
export async function cutOffReceiver(stack: Stack): Promise<CutOffReceiver> {
	const { baseUrl, apiToken, ...tls } = serviceCredential(stack.sandbox, 'direct');
	const record = join(stack.folder, 'attempts.log');
	await stack.stopReceiver();
	const node = ['--disable-warning=ExperimentalWarning', '--import', GUARD];
	const child = spawn(process.execPath, [...node, 'webhook-receiver/src/main.ts'], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'inherit'],
		env: {
			PATH: process.env.PATH,
			CUT_OFF_RECORD: record,
			CUT_OFF_ALLOWED: new URL(baseUrl).port,
			PORT: new URL(stack.receiver.url).port,
			DATABASE_FILE: join(stack.folder, 'receiver.db'),
			MANAGEMENT_TOKEN: stack.managementToken,
			INGEST_HMAC_SECRETS: stack.hmacSecret,
			SERVICE_URL: baseUrl,
			SERVICE_TOKEN: apiToken,
			SERVICE_CLIENT_CERTIFICATE: tls.clientCertificate,
			SERVICE_CLIENT_KEY: tls.clientKey,
			SERVICE_CA: tls.caCertificate,
			WATCH_DELAYS: '0s:1s',
			WATCH_RATE_LIMIT: '6000',
		},
	});
	await untilListening(child.stdout);
	return {
		url: stack.receiver.url,
		attempts: () => readFileSync(record, 'utf8').split('\n').filter(Boolean),
		async close() {
			const gone = once(child, 'exit');
			child.kill();
			await gone;
		},
	};
}

async function untilListening(output: NodeJS.ReadableStream): Promise<void> {
	for await (const line of createInterface({ input: output })) {
		if (line.includes('"listening"')) return;
	}
	throw new Error('The receiver that is cut off did not start.');
}
