// Never twice, and every verdict true (design, section 5), in worlds that nobody thought of: any answer
// of any shape, cuts at any byte, handshakes that break, stops, retries, executions at once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';

import { readConfig } from '../../webhook-receiver/src/config/read-config.ts';
import { startReceiver, type Receiver } from '../../webhook-receiver/src/server.ts';
import { useDeduplication } from '../support/deduplication.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { entriesOf, runWorld, type Claimed, type Claims } from './worlds/run-world.ts';
import { startService, type Service } from './worlds/service.ts';
import { world, type World } from './worlds/world.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

/** Worlds side by side: they spend their time waiting. */
const AT_ONCE = 8;
const WORLDS = Number(process.env.WORLDS ?? 400);

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
	const wrong: string[] = [];
	const tryOut = async (one: World, slot: number) => {
		const service = services[slot];
		const claims = await runWorld(one, service, { receiverUrl: receiver.url, managementToken });
		for (const some of claims) count(some, seen);
		const faults = judge(one, service, claims);
		if (faults.length > 0) wrong.push(`${faults.join('; ')} in WORLD='${JSON.stringify(one)}'`);
	};
	if (process.env.WORLD) {
		await tryOut(JSON.parse(process.env.WORLD) as World, 0);
		expect(wrong).toEqual([]);
		return;
	}
	// Sampled, not shrunk: a world takes seconds where a connection breaks, and says all there is to know.
	const seed = Number(process.env.SEED ?? 7);
	const worlds = fc
		.sample(world, { numRuns: WORLDS, seed })
		.map((one, index) => ({ ...one, number: index + 1 }))
		.values();
	await Promise.all(
		services.map(async (_, slot) => {
			for (const one of worlds) if (wrong.length === 0) await tryOut(one, slot);
		}),
	);
	expect(wrong).toEqual([]);
	console.log(`${WORLDS} worlds: ${JSON.stringify(seen)}`);
	// Worlds in which nothing happens would prove nothing.
	expect(Math.min(...Object.values(seen))).toBeGreaterThan(WORLDS / 20);
}, 900_000);

function count(claims: Claims, seen: Record<string, number>): void {
	if ('failed' in claims) seen.failed++;
	else for (const { verdict } of [...claims.values()].flat()) seen[verdict]++;
}

/** What the outputs claim and the service's ledger does not bear out. */
function judge(one: World, { ledger, wasUnclear }: Service, all: Claims[]): string[] {
	const twice = [...ledger].filter(([, ids]) => ids.length > 1);
	const entries = one.items.flatMap((_, item) => entriesOf(one, item));
	return [
		...twice.map(([entry, ids]) => `${entry} was sent ${ids.length} times`),
		...entries.flatMap((entry) => faultsOf(entry, ledger.get(entry) ?? [], all)),
		...(wasUnclear || one.stopAt !== null ? [] : all.flatMap(needlesslyUnknown)),
	];
}

/** Where every answer was a clear yes or no, and no connection broke after its handshake. */
function needlesslyUnknown(claims: Claims): string[] {
	if ('failed' in claims) return /^Outcome unknown/.test(claims.failed) ? [claims.failed] : [];
	return [...claims]
		.filter(([, all]) => all.some(({ verdict }) => verdict === 'unknown'))
		.map(([entry]) => `${entry} is said to be unknown, and nothing was unclear`);
}

function faultsOf(entry: string, held: string[], all: Claims[]): string[] {
	const claimed = all.flatMap((claims) => ('failed' in claims ? [] : [claims.get(entry) ?? []]));
	const faults = claimed.flatMap((verdicts) => {
		if (verdicts.length !== 1) return [`${entry} has ${verdicts.length} verdicts`];
		const [{ verdict, id }] = verdicts;
		if (verdict !== 'sent' || held[0] === id) return [];
		return [`${entry} is said to be ${id}, and is ${held[0] ?? 'nothing'}`];
	});
	// What one execution did not send, another may have.
	const isByNobody = claimed.length === all.length && claimed.flat().every(isNotSent);
	if (isByNobody && held.length > 0) faults.push(`${entry} is said not to have been sent, and was`);
	return faults;
}

function isNotSent({ verdict }: Claimed): boolean {
	return verdict === 'not sent';
}
