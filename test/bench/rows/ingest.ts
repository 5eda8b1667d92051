// What the receiver takes: durably, with n8n away, so that the way in is measured and not the way out.
import { startPostgres } from '../../contract/receiver/postgres-server.ts';
import { afterRow } from '../clean-up.ts';
import { publishWebhook } from '../n8n/starters.ts';
import { addConsumers } from '../parts/consumers.ts';
import { postEvents, type Amount } from '../parts/load.ts';
import { startReceiver, startStorelessReceiver } from '../parts/receiver.ts';
import { defineRow, type Line } from '../row.ts';

/** A short run counts requests: on a busy machine a timed one might get no answer at all. */
const amount = (short: boolean): Amount => (short ? { requests: 50 } : { seconds: 3 });

const rateOf = async ({ url }: { url: string }, short: boolean, connections?: number) =>
	(await postEvents(url, amount(short), connections)).perSecond;

/** With consumers that n8n has released: every event is for them, and waits. */
async function startWithConsumers(env: Record<string, string> = {}) {
	const receiver = await startReceiver(env);
	await addConsumers(receiver, 3);
	return receiver;
}

async function startOnPostgres() {
	const postgres = await startPostgres();
	afterRow(() => postgres.stop());
	return await startWithConsumers({ DATABASE_URL: await postgres.freshDatabase() });
}

/** What it costs to store what has come before it is acknowledged. */
function durability<Name extends string>(
	name: Name,
	start: typeof startWithConsumers,
	line: Pick<Line, 'what' | 'must' | 'aim' | 'note'>,
) {
	return defineRow({
		name,
		peer: 'the same app, which stores nothing',
		lines: { [name]: { ...line, unit: 'events/s', goal: 'ratio' } },
		rounds: 7,
		warmUp: true,
		async start(short) {
			const [receiver, storeless] = [await start(), await startStorelessReceiver()];
			return {
				ours: async () => ({ [name]: await rateOf(receiver, short) }),
				theirs: async () => ({ [name]: await rateOf(storeless, short) }),
			};
		},
	});
}

const WHAT =
	'durable ingest: HMAC, parsed, committed with fsync, 3 consumers that want it, 50 connections';

export const INGEST_ROWS = [
	durability('ingest', startWithConsumers, { what: WHAT, must: 0.8, aim: 0.9 }),
	durability('ingest-postgres', startOnPostgres, {
		what: 'the same on PostgreSQL',
		must: 0.6,
		aim: 0.75,
		note: 'PostgreSQL with its default settings, fsync and synchronous_commit included, on the same machine.',
	}),
	defineRow({
		name: 'ingest-n8n',
		peer: "n8n's Webhook node, which answers at once, at 20 or 50 connections",
		lines: {
			'ingest-n8n': {
				what: WHAT,
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
			const receiver = await startWithConsumers();
			const webhook = await publishWebhook('ingest', { followUp: false });
			return {
				ours: async () => ({ 'ingest-n8n': await rateOf(receiver, short) }),
				theirs: async () => ({
					'ingest-n8n': Math.max(
						await rateOf(webhook, short, 20),
						await rateOf(webhook, short, 50),
					),
				}),
			};
		},
	}),
];
