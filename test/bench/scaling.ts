// How the cost of taking an event in grows: with the subscriptions, and with what is stored already.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Round } from './benchmark.ts';
import { chart } from './chart.ts';
import { markdownTable, plainTable, readable } from './figures.ts';
import { fill } from './fill.ts';
import { DELIVERIES, ingestLoad, pace, withLoad } from './ingest.ts';
import { NOWHERE, startReceiver } from './receiver.ts';
import type { ReceiverProcess } from './receiver.ts';
import { writePart, writePicture } from './results.ts';

const SUBSCRIPTIONS = [1, 10, 100, 1_000];
const STORED = [1_000, 10_000, 100_000, 1_000_000];

/** Microseconds an event takes, at some size of what grows. */
type Cost = readonly [size: number, microseconds: number];

export async function scaling(round: Round): Promise<void> {
	const [subscriptions, stored] = round.short
		? [SUBSCRIPTIONS.slice(0, 2), STORED.slice(0, 2)]
		: [SUBSCRIPTIONS, STORED];
	const wanted = await costs(
		subscriptions,
		round,
		'subscriptions that all want it',
		(receiver, n) => subscribe(receiver, n, n),
	);
	const others = await costs(
		subscriptions,
		round,
		'subscriptions of which one wants it',
		(receiver, n) => subscribe(receiver, n, 1),
	);
	const events = await storedCosts(stored, round);

	const table = [
		['what there is', ...['µs an event', 'µs a delivery', 'events/s']],
		...wanted.map(([n, cost]) => line(`${readable(n)} subscriptions, all want it`, cost, n)),
		...others.map(([n, cost]) => line(`${readable(n)} subscriptions, one wants it`, cost, 1)),
		...events.map(([n, cost]) => line(`${readable(n)} stored events`, cost, DELIVERIES)),
	];
	console.log(`\n${plainTable(table)}`);
	if (round.short) return;
	const perDelivery = wanted.map(([n, cost]): Cost => [n, cost / n]);
	writePicture(
		'scaling.svg',
		chart([
			{
				title: 'Cost of an event, by subscriptions of which one wants it',
				...{ xLabel: 'subscriptions', unit: 'µs', logarithmic: true },
				series: [{ name: 'an event', points: others }],
			},
			{
				title: 'Cost of each delivery, by subscriptions that all want the event',
				...{ xLabel: 'subscriptions', unit: 'µs', logarithmic: true },
				series: [{ name: 'a delivery', points: perDelivery }],
			},
			{
				title: `Cost of an event with ${DELIVERIES} deliveries, by events stored`,
				...{ xLabel: 'stored events', unit: 'µs', logarithmic: true },
				series: [{ name: 'an event', points: events }],
			},
		]),
	);
	await writePart('scaling', `![cost as it grows](scaling.svg)\n\n${markdownTable(table)}`);
}

function line(what: string, cost: number, deliveries: number): string[] {
	return [what, readable(cost), readable(cost / deliveries), readable(1e6 / cost)];
}

/** Of an empty receiver that `prepare` has made as large as said. */
function costs(
	sizes: readonly number[],
	round: Round,
	what: string,
	prepare: (receiver: ReceiverProcess, size: number) => Promise<void>,
): Promise<Cost[]> {
	return withLoad(async (load) => {
		const result: Cost[] = [];
		for (const size of sizes) {
			const receiver = await startReceiver();
			try {
				await prepare(receiver, size);
				result.push([size, await microseconds(load, receiver, round)]);
			} finally {
				await receiver.stop();
			}
			round.report(`${readable(size)} ${what}: ${readable(result.at(-1)?.[1] ?? NaN)} µs`);
		}
		return result;
	});
}

function storedCosts(sizes: readonly number[], round: Round): Promise<Cost[]> {
	return withLoad(async (load) => {
		const result: Cost[] = [];
		for (const size of sizes) {
			const folder = mkdtempSync(join(tmpdir(), 'bench-scaling-'));
			try {
				const filling = { subscriptions: DELIVERIES, target: NOWHERE, state: 'delivered' } as const;
				await fill(join(folder, 'receiver.sqlite'), { ...filling, events: size });
				const receiver = await startReceiver({ folder });
				try {
					result.push([size, await microseconds(load, receiver, round)]);
				} finally {
					await receiver.stop();
				}
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
			round.report(`${readable(size)} stored events: ${readable(result.at(-1)?.[1] ?? NaN)} µs`);
		}
		return result;
	});
}

async function microseconds(
	load: Parameters<typeof ingestLoad>[0],
	receiver: ReceiverProcess,
	{ short }: Round,
): Promise<number> {
	const { seconds } = pace(short);
	await ingestLoad(load, receiver, seconds / 4);
	const { perSecond } = await ingestLoad(load, receiver, seconds);
	return 1e6 / perSecond;
}

async function subscribe(receiver: ReceiverProcess, all: number, wanting: number): Promise<void> {
	for (let n = 0; n < all; n++) {
		const more = n < wanting ? {} : { filter: { customerReference: `customer-${n}` } };
		await receiver.subscribe(`flow-${n}`, NOWHERE, more);
	}
}
