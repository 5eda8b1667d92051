// Never twice, and every verdict true (design, section 5), in worlds that nobody thought of: any answer
// of any shape, cuts at any byte, handshakes that break, stops, retries, executions at once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';

import { readConfig } from '../../webhook-receiver/src/config.ts';
import { startReceiver, type Receiver } from '../../webhook-receiver/src/server.ts';
import { useDeduplication } from '../support/deduplication.ts';
import { entriesOf, runWorld, type Claims } from './worlds/run-world.ts';
import { startService, type Service } from './worlds/service.ts';
import { world, type World } from './worlds/world.ts';

// Pauses are fifty times shorter than they are: the nodes' own, between tries and for a key that somebody
// else sends under. All else is real.
jest.mock('n8n-workflow', () => {
	const n8n = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	return {
		...n8n,
		sleep: async (ms: number, signal?: AbortSignal) => await n8n.sleep(ms / 50, signal),
	};
});

/** Worlds side by side: they spend their time waiting. */
const AT_ONCE = 8;
const ROUNDS = Number(process.env.WORLDS ?? 320) / AT_ONCE;

const managementToken = 'management-token-of-the-worlds';

let folder: string;
let receiver: Receiver;
let services: Service[];
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'worlds-'));
	receiver = await startReceiver(
		readConfig({
			...{ PORT: '0', MANAGEMENT_TOKEN: managementToken, LOG_LEVEL: 'silent' },
			...{
				DATABASE_FILE: join(folder, 'receiver.db'),
				INGEST_HMAC_SECRETS: 'secret-of-the-worlds',
			},
		}),
	);
	services = await Promise.all(Array.from({ length: AT_ONCE }, startService));
	await useDeduplication();
}, 60_000);
afterAll(async () => {
	await Promise.all(services.map((service) => service.close()));
	await receiver.close();
	await rm(folder, { recursive: true });
});

it('no letter twice, each item exactly one verdict, and each verdict true', async () => {
	const seen = { sent: 0, 'not sent': 0, unknown: 0, failed: 0 };
	await fc.assert(
		fc.asyncProperty(
			fc.array(world, { minLength: AT_ONCE / 2, maxLength: AT_ONCE }),
			async (some) => {
				const judged = await Promise.allSettled(
					some.map(async (one, slot) => {
						const service = services[slot];
						const receiverUrl = receiver.url;
						const all = await runWorld(one, service, { receiverUrl, managementToken });
						for (const claims of all) count(claims, seen);
						judge(one, service.ledger, all);
					}),
				);
				const failed = judged.find(({ status }) => status === 'rejected');
				if (failed) throw (failed as PromiseRejectedResult).reason;
			},
		),
		{
			numRuns: ROUNDS,
			seed: Number(process.env.SEED ?? 7),
			endOnFailure: process.env.CI === 'true',
		},
	);
	console.log(`${ROUNDS} rounds: ${JSON.stringify(seen)}`);
	// Worlds in which nothing happens would prove nothing.
	expect(Math.min(...Object.values(seen))).toBeGreaterThan(ROUNDS / 4);
}, 900_000);

function count(claims: Claims, seen: Record<string, number>): void {
	if (claims === null) seen.failed++;
	else for (const { verdict } of [...claims.values()].flat()) seen[verdict]++;
}

/** Compares what the outputs claim with the service's ledger. */
function judge(one: World, ledger: ReadonlyMap<string, string[]>, all: Claims[]): void {
	for (const [entry, ids] of ledger) {
		if (ids.length > 1) throw new Error(`${entry} was sent ${ids.length} times`);
	}
	for (const claims of all) {
		if (claims === null) continue;
		const entries = one.items.flatMap((_, item) => entriesOf(one, item));
		expect([...claims.keys()].sort()).toEqual(entries.sort());
		for (const [entry, claimed] of claims) {
			if (claimed.length !== 1) throw new Error(`${entry} has ${claimed.length} verdicts`);
			const [{ verdict, id }] = claimed;
			const held = ledger.get(entry) ?? [];
			if (verdict === 'sent') expect(held).toEqual([id]);
			if (verdict === 'not sent' && held.length > 0) {
				throw new Error(`${entry} is said not to have been sent`);
			}
		}
	}
}
