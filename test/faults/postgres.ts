import { openPostgres } from '../../webhook-receiver/src/store/open.ts';
import type { Store } from '../../webhook-receiver/src/store/store.ts';
import { StoreUnavailable } from '../../webhook-receiver/src/store/store.ts';
import { startPostgres } from '../contract/receiver/postgres-server.ts';
import type { PostgresServer } from '../contract/receiver/postgres-server.ts';
import { candidate, pullOf, until } from '../contract/receiver/stores.ts';
import { Witness } from '../contract/receiver/witness.ts';
import { record } from './figures.ts';

export function postgresFaults() {
	let postgres: PostgresServer;
	beforeAll(async () => {
		postgres = await startPostgres();
	});
	afterAll(() => postgres.stop());

	it('PostgreSQL killed and restarted under load: no acknowledged event lost, each in one batch', async () => {
		const url = await postgres.freshDatabase();
		const open = () => openPostgres(url, () => undefined);
		const stores = [await open(), await open()];
		const witness = new Witness('n8n~flow');
		await stores[0].consumers.take(pullOf('n8n~flow', { holder: 'first' }), 0);
		const acknowledged = new Set<string>();
		let refused = 0;
		let isOver = false;
		const lane = async (number: number) => {
			const store = stores[number % 2];
			for (let n = 0; !isOver; n++) {
				const id = `e-${number}-${n}`;
				const raw = { id, event: 'aes_sent', messageId: number + 1 };
				try {
					await store.ingest([candidate(raw, Date.now())], Date.now());
					acknowledged.add(id);
				} catch (error) {
					if (!(error instanceof StoreUnavailable)) throw error;
					refused++;
					await new Promise((resolve) => setTimeout(resolve, 50));
				}
			}
		};
		let now = 1;
		const pullUntil = async (isDone: () => boolean): Promise<void> => {
			try {
				await witness.pullUntil(isDone, { store: stores[0], holder: 'first', now, atOnce: 5 });
			} catch (error) {
				if (!(error instanceof StoreUnavailable)) throw error;
				await new Promise((resolve) => setTimeout(resolve, 50));
				// What was handed out in an answer that got lost comes again when its time is over.
				now += 120_000;
				await pullUntil(isDone);
			}
		};
		const load = Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)));
		await until(() => acknowledged.size > 100);
		const pulled = pullUntil(() => isOver);
		await until(() => witness.received > 20);
		await postgres.kill();
		await until(() => refused > 8);
		const before = acknowledged.size;
		await postgres.start();
		await until(() => acknowledged.size > before + 100);
		isOver = true;
		await load;
		const kept = await allEvents(stores[1]);
		const names = kept.map(({ raw }) => (raw as { id: string }).id);
		expect(names).toHaveLength(new Set(names).size);
		expect([...acknowledged].filter((id) => !names.includes(id))).toEqual([]);
		await pulled;
		await pullUntil(() => witness.received === kept.length);
		witness.judge(kept);
		for (const store of stores) await store.close();
		const figure = `0 of ${acknowledged.size} lost, ${refused} refused, each in one batch`;
		record('PostgreSQL killed and restarted under load', figure);
	});
}

async function allEvents(store: Store) {
	const pages = [];
	for (let before: number | null = null; ; ) {
		const page = await store.events({ limit: 500, before });
		if (page.length === 0) return pages.flat().reverse();
		pages.push(page);
		before = page[page.length - 1].sequence;
	}
}
