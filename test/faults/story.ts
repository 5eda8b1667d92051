// Faults in any order, and two at once, on both stores: what the listed cases did not think of.
//
// FAULT_ROUNDS=20 tells a longer story, FAULT_SEED another. The same one each time otherwise, so that a
// failure belongs to the change under test.
import fc from 'fast-check';
import { later, temporaryFolder } from '../contract/receiver/harness.ts';
import { startPostgres } from '../contract/receiver/postgres-server.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import type { Silence } from '../support/tcp-proxy.ts';
import { record } from './figures.ts';
import { LISTENER, WRITER } from './half-open.ts';
import { ROUNDS, World } from './world.ts';

const SEED = Number(process.env.FAULT_SEED ?? 701_719);
const CHAPTERS = 2 * ROUNDS;
const HOUR = 3_600_000;
/** Without a time: signatures of another time are refused, and rightly. */
const SECRET = 'shared-secret-of-tests';

/** What befalls one of the receivers, or all of them, and how it ends. */
interface Fault {
	/** Whether a receiver can't start until it has ended. */
	isBelow: boolean;
	begin(receiver: number, by: number): Promise<void> | void;
	end(receiver: number): Promise<void> | void;
}
type Faults = Record<string, Fault>;

export function storyFaults() {
	it(`SQLite: any faults in any order (seed ${SEED})`, async () => {
		const disk = mountSmallDisk(64);
		if (disk !== null) later(() => disk.remove());
		const world = await start([{}], disk?.folder ?? temporaryFolder());
		const full: Faults = {
			'disk full': { isBelow: true, begin: () => disk?.fill(), end: () => disk?.free() },
		};
		await tell(world, { ...ofProcesses(world), ...(disk !== null && full) });
		record(`story of ${CHAPTERS} × 2 faults: SQLite, seed ${SEED}`, await world.verdict());
	});

	it(`PostgreSQL, two receivers: any faults in any order (seed ${SEED})`, async () => {
		const postgres = await startPostgres();
		later(() => postgres.stop());
		const url = new URL(await postgres.freshDatabase());
		const proxies = [await startTcpProxy(Number(url.port)), await startTcpProxy(Number(url.port))];
		for (const proxy of proxies) later(() => proxy.stop());
		const world = await start(
			proxies.map(({ port }) => {
				url.port = String(port);
				return { DATABASE_URL: url.href };
			}),
		);
		const silent = (what: Silence): Fault => ({
			isBelow: true,
			begin: (receiver) => proxies[receiver].fallSilent(what),
			end: (receiver) => proxies[receiver].speakToNew(),
		});
		await tell(world, {
			...ofProcesses(world),
			'PostgreSQL -m immediate': {
				isBelow: true,
				begin: () => postgres.kill(),
				end: () => postgres.start(),
			},
			'all connections silent': silent({}),
			'all answers lost': silent({ answersOnly: true }),
			'appending silent': silent(WRITER),
			'listening silent': silent(LISTENER),
			'connections cut': { ...silent({}), begin: (receiver) => proxies[receiver].cut() },
		});
		record(`story of ${CHAPTERS} × 2 faults: PostgreSQL, seed ${SEED}`, await world.verdict());
	});
}

function start(receivers: Array<Record<string, string>>, folder?: string): Promise<World> {
	return World.start({
		receivers: receivers.map((env) => ({ ...env, INGEST_SHARED_SECRETS: SECRET })),
		headers: { 'x-webhook-secret': SECRET },
		folder,
	});
}

function ofProcesses(world: World): Faults {
	return {
		'receiver killed': {
			isBelow: false,
			async begin(receiver) {
				world.receivers[receiver].child.kill('SIGKILL');
				await world.receivers[receiver].exited;
			},
			end: (receiver) => world.startReceiver(receiver),
		},
		'n8n restarted': { isBelow: false, begin: () => world.n8n.restart(), end: () => undefined },
		'clock set': {
			isBelow: false,
			begin: (receiver, by) => setClock(world, receiver, by),
			end: (receiver) => setClock(world, receiver, 0),
		},
	};
}

/** Not of a receiver that is dead; it starts with the true time. */
async function setClock(world: World, receiver: number, ahead: number): Promise<void> {
	const { child, setClock: set } = world.receivers[receiver];
	if (child.signalCode === null) await set(ahead);
}

/** Two faults a chapter, the second on top of the first. */
async function tell(world: World, faults: Faults): Promise<void> {
	const fault = fc.record({
		name: fc.constantFrom(...Object.keys(faults)),
		receiver: fc.nat(world.receivers.length - 1),
		by: fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
		after: fc.nat(300),
	});
	const chapter = fc.uniqueArray(fault, {
		minLength: 2,
		maxLength: 2,
		selector: ({ name }) => name,
	});
	for (const blows of fc.sample(chapter, { numRuns: CHAPTERS, seed: SEED })) {
		for (const { name, receiver, by, after } of blows) {
			await world.sees(after);
			await faults[name].begin(receiver, by);
		}
		await world.sees(100);
		blows.sort((left, right) => rankOf(left.name) - rankOf(right.name));
		for (const { name, receiver } of blows) await faults[name].end(receiver);
		for (const index of world.receivers.keys()) await world.untilReadiness(index, 200);
	}

	function rankOf(name: string): number {
		return faults[name].isBelow ? 0 : 1;
	}
}
