// A receiver that can reach only the service it watches, and above all not n8n.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { root } from '../n8n/folders.ts';
import type { Stack } from '../n8n/stack.ts';
import { serviceCredential } from '../support/sandbox.ts';
import { passOn, type Passage } from './passage.ts';

const GUARD = join(root, 'test/real-n8n/cut-off-guard.mjs');

/**
 * Command that starts a program with no network but its own loopback; null where this machine
 * grants no namespaces, as in many containers.
 */
const NAMESPACE = [
	['unshare', '--net'],
	['unshare', '--map-root-user', '--net'],
].find(isPossible);

export const isInNamespace = NAMESPACE !== undefined;

export interface CutOffReceiver {
	url: string;
	/** Addresses it tried to connect to, other than the service's. */
	attempts(): string[];
	/** Whether a program cut off the same way gets any response from there. */
	reaches(url: string): Promise<boolean>;
	close(): Promise<void>;
}

/** Replaces the stack's own receiver: same address, same data. */
export async function cutOffReceiver(stack: Stack): Promise<CutOffReceiver> {
	const { port } = new URL(stack.receiver.url);
	const { baseUrl, apiToken, ...tls } = serviceCredential(stack.sandbox, 'direct');
	const servicePort = new URL(baseUrl).port;
	const record = join(stack.folder, 'attempts.log');
	await stack.stopReceiver();
	const socket = (name: string) => join(stack.folder, `${name}.sock`);
	const passages: Passage[] = [];
	if (NAMESPACE) {
		passages.push(await passOn({ port: Number(port) }, { path: socket('receiver') }));
		passages.push(await passOn({ path: socket('service') }, { port: Number(servicePort) }));
	}
	const guarded = { CUT_OFF_RECORD: record, CUT_OFF_ALLOWED: servicePort };
	const child = start(['webhook-receiver/src/main.ts'], {
		...guarded,
		CUT_OFF_SOCKETS: NAMESPACE ? stack.folder : '',
		CUT_OFF_PORT: port,
		PORT: port,
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
	});
	await untilListening(child);
	return {
		url: stack.receiver.url,
		attempts: () => (existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []),
		async reaches(url) {
			const probe = `fetch(${JSON.stringify(url)}).then(() => process.exit(0), () => process.exit(1))`;
			const { CUT_OFF_ALLOWED } = guarded;
			const prober = start(['--eval', probe], { CUT_OFF_RECORD: '/dev/null', CUT_OFF_ALLOWED });
			const [code] = (await once(prober, 'exit')) as [number];
			return code === 0;
		},
		async close() {
			const gone = once(child, 'exit');
			child.kill();
			await gone;
			for (const passage of passages) await passage.close();
		},
	};
}

/** Starts Node cut off: in its own namespace where available, and under the guard. */
function start(args: string[], env: Record<string, string>): ChildProcess {
	const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--import', GUARD];
	const inside = NAMESPACE
		? [...NAMESPACE, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...node, ...args]
		: [...node, ...args];
	return spawn(inside[0], inside.slice(1), {
		cwd: root,
		env: { PATH: process.env.PATH, ...env },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
}

async function untilListening(child: ChildProcess): Promise<void> {
	if (!child.stdout) throw new Error('The receiver has no output.');
	for await (const line of createInterface({ input: child.stdout })) {
		if (line.includes('"listening"')) return;
	}
	throw new Error('The receiver that is cut off did not start.');
}

function isPossible([program, ...flags]: string[]): boolean {
	try {
		execFileSync(program, [...flags, 'sh', '-c', 'ip link set lo up'], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}
