// A process that uses a store as hard as it can and prints its promises, until it is killed.
import { openSqlite } from '../../../webhook-receiver/src/operation/open-store.ts';
import { candidate, pullOf } from './stores.ts';

export type Said =
	| { kind: 'acked'; batch: string }
	| { kind: 'stored'; sequence: number }
	| { kind: 'handedOut'; batch: string; events: number[] };

async function use(file: string, round: string, keys: readonly string[]): Promise<void> {
	const store = openSqlite(file);
	const say = (said: Said) => process.stdout.write(`${JSON.stringify(said)}\n`);
	// Listeners are told a moment before commit, and only the commit counts.
	const told: number[] = [];
	store.listen({
		onEvents: (events) => void told.push(...events.map(({ sequence }) => sequence)),
		onConsumer: () => undefined,
		onWakeUps: () => undefined,
		onWaits: () => undefined,
		onPolls: () => undefined,
		onMissed: () => undefined,
	});
	// Each round is another n8n, since the previous one was killed with the store.
	const begun = Date.now() + Number(round) * 120_000;
	const pull = (key: string, acked: readonly string[]) => {
		const settle = acked.map((batch) => ({ batch, outcome: 'ack' as const }));
		const wants = { events: ['*'], batchSize: 2 };
		const more = { holder: `n8n-of-round-${round}`, atOnce: 3, settle, wants };
		return store.consumers.take(pullOf(key, more), begun);
	};
	await Promise.all(keys.map((key) => pull(key, [])));
	const ingest = async () => {
		for (let n = 0; ; n++) {
			const raw = { id: `${round}-${n}`, event: 'aes_sent', messageId: n % 5 };
			await store.ingest([candidate(raw, begun)], begun);
			for (const sequence of told.splice(0)) say({ kind: 'stored', sequence });
		}
	};
	const consume = async (key: string) => {
		for (let acked: string[] = []; ; ) {
			const taken = await pull(key, acked);
			for (const batch of acked) say({ kind: 'acked', batch });
			if (taken.kind === 'held') throw new Error(`${key} is held`);
			for (const { id, events } of taken.batches) {
				say({ kind: 'handedOut', batch: id, events: events.map(({ sequence }) => sequence) });
			}
			acked = taken.batches.map(({ id }) => id);
		}
	};
	await Promise.all([ingest(), ...keys.map(consume)]);
}

const [file, round, ...keys] = process.argv.slice(2);
void use(file, round, keys);
