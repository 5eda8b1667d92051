// The receiver's ingest, against the same receiver with one thing changed.
import { startPostgres } from '../../contract/receiver/postgres-server.ts';
import { afterRow } from '../clean-up.ts';
import { publishWebhook } from '../n8n/starters.ts';
import { quantile } from '../measure.ts';
import { addConsumers } from '../parts/consumers.ts';
import { postEvenly, postEvents, type Amount } from '../parts/load.ts';
import { startReceiver } from '../parts/receiver.ts';
import { defineRow, type Line } from '../row.ts';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A short run counts requests: on a busy machine a timed one might get no answer at all. */
const amount = (short: boolean): Amount => (short ? { requests: 50 } : { seconds: 3 });

/** Rows that compare how many events a second two receivers ingest. */
function ingestRow<Name extends string>(row: {
	name: Name;
	peer: string;
	line: Omit<Line, 'unit' | 'goal'>;
	ours: (short: boolean) => Promise<Receiver>;
	theirs: (short: boolean) => Promise<Receiver>;
	connections?: number;
}) {
	const { name, peer, line, connections } = row;
	return defineRow({
		name,
		peer,
		rounds: 5,
		warmUp: true,
		lines: { [name]: { unit: 'events/s', goal: 'ratio', ...line } },
		async start(short) {
			const side =
				({ url }: Receiver) =>
				async () => ({
					[name]: (await postEvents(url, amount(short), connections)).perSecond,
				});
			return { ours: side(await row.ours(short)), theirs: side(await row.theirs(short)) };
		},
	});
}

/** Consumers that n8n has released: every event is for them, and waits. */
async function withConsumers(receiver: Receiver, count = 3): Promise<Receiver> {
	await addConsumers(receiver, count);
	return receiver;
}

const asItIs = async () => await withConsumers(await startReceiver());
const storeless = async () => await startReceiver({ store: 'storeless' });
const oneCommitEach = async () =>
	await withConsumers(await startReceiver({ store: 'one commit each' }));

export const INGEST_ROWS = [
	ingestRow({
		name: 'ingest-embedded',
		peer: 'the same app without a store',
		line: {
			what: 'durable ingest: HMAC, parsed, committed with fsync, 3 consumers that want it, 50 connections',
			must: 0.6,
			aim: 0.7,
			note: 'Closed loop, 1 KB an event. The consumers are away, so that the way in is measured and not the way out.',
		},
		ours: asItIs,
		theirs: storeless,
	}),
	ingestRow({
		name: 'ingest-postgres',
		peer: 'the same app without a store',
		line: {
			what: 'the same on PostgreSQL',
			must: 0.45,
			aim: 0.55,
			note: 'PostgreSQL with its default settings, fsync and synchronous_commit included, on the same machine.',
		},
		async ours() {
			const postgres = await startPostgres();
			afterRow(() => postgres.stop());
			const env = { DATABASE_URL: await postgres.freshDatabase() };
			return await withConsumers(await startReceiver({ env }));
		},
		theirs: storeless,
	}),
	defineRow({
		name: 'ingest-p99',
		peer: null,
		rounds: 5,
		warmUp: true,
		lines: {
			'ingest-p99/full': {
				what: 'p99 of an acknowledged event at 50 connections, as many events as it takes',
				unit: 'ms',
				goal: 'ours',
				must: 25,
				aim: 10,
				note: 'Closed loop, so at the limit of what it takes.',
			},
			'ingest-p99/half': {
				what: 'the same at half as many events a second',
				unit: 'ms',
				goal: 'ours',
				must: 10,
				aim: 5,
				note: 'Open loop, evenly: from when each was due. Without the first half second, in which 50 connections are made.',
			},
		},
		async start(short) {
			const { url } = await asItIs();
			return {
				async ours() {
					const full = await postEvents(url, amount(short));
					const rate = full.perSecond / 2;
					const half = await postEvenly(url, rate, short ? 50 : rate * 3.5);
					if (!short) half.splice(0, rate / 2);
					return { 'ingest-p99/full': full.p99, 'ingest-p99/half': quantile(half, 0.99) };
				},
			};
		},
	}),
	defineRow({
		name: 'ingest-n8n',
		peer: "n8n's Webhook node, which answers at once, at 20 or 50 connections",
		lines: {
			'ingest-n8n': {
				what: 'durable ingest: HMAC, parsed, committed with fsync, 3 consumers that want it, 50 connections',
				unit: 'events/s',
				goal: 'ratio',
				must: 100,
				aim: 250,
				note: 'Of 20 and 50 connections to n8n, the better in each round: more only wait for each other.',
			},
		},
		rounds: 5,
		warmUp: true,
		n8n: true,
		async start(short) {
			const receiver = await asItIs();
			const webhook = await publishWebhook('ingest', { followUp: false });
			const rate = async ({ url }: { url: string }, connections: number) =>
				(await postEvents(url, amount(short), connections)).perSecond;
			return {
				ours: async () => ({ 'ingest-n8n': await rate(receiver, 50) }),
				theirs: async () => ({
					'ingest-n8n': Math.max(await rate(webhook, 20), await rate(webhook, 50)),
				}),
			};
		},
	}),
	ingestRow({
		name: 'group-commit',
		peer: 'one commit per request, same store',
		line: { what: 'ingest with group commit, 50 connections', must: 3, aim: 4 },
		ours: asItIs,
		theirs: oneCommitEach,
	}),
	ingestRow({
		name: 'group-commit-alone',
		peer: 'one commit per request, same store',
		line: {
			what: 'the same with 1 connection, where there is nothing to group',
			must: 0.95,
			aim: 0.95,
			note: '“Not slower”: both do the same then, so 0.95 leaves room for the noise of the machine and no more.',
		},
		ours: asItIs,
		theirs: oneCommitEach,
		connections: 1,
	}),
	ingestRow({
		name: 'consumers',
		peer: 'the same with one consumer',
		line: {
			what: 'durable ingest with 1,000 consumers that all want each event',
			must: 0.9,
			aim: 0.9,
		},
		ours: async (short) => await withConsumers(await startReceiver(), short ? 20 : 1_000),
		theirs: async () => await withConsumers(await startReceiver(), 1),
	}),
];
