import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { SqlStore } from '../../webhook-receiver/src/store/sql-store.ts';
import { SqliteEngine } from '../../webhook-receiver/src/store/sqlite/engine.ts';
import { call, start, temporaryFolder } from '../contract/receiver/harness.ts';
import { record } from './figures.ts';

export function diskFaults() {
	/**
	 * The disk is filled by SQLite's max_page_count: the same SQLITE_FULL as a full disk, and unlike a
	 * small tmpfs it needs no right to mount, so it runs anywhere.
	 */
	it('a full disk: 503, nothing acknowledged falsely, recovers by itself', async () => {
		const folder = temporaryFolder();
		const engine = new SqliteEngine(join(folder, 'receiver.sqlite'));
		const store = new SqlStore(engine);
		const { database } = engine as unknown as { database: DatabaseSync };
		const pages = (count: number) => database.exec(`PRAGMA max_page_count = ${count}`);
		const used = database.prepare('PRAGMA page_count').get() as { page_count: number };
		const receiver = await start({ folder, dependencies: { store } });
		const acknowledged: string[] = [];
		let refused = 0;
		const post = async (n: number) => {
			const id = `e-${n}`;
			const { status } = await receiver.emit({ id, event: 'aes_sent', text: 'x'.repeat(2_000) });
			if (status === 200) acknowledged.push(id);
			else refused += Number(status === 503);
			return status;
		};
		pages(used.page_count + 20);
		const during = await Promise.all(Array.from({ length: 60 }, (_, n) => post(n)));
		expect(new Set(during).has(503)).toBe(true);
		while ((await post(1_000 + refused)) !== 503);
		// Alive, and honest about not being able to accept anything.
		expect((await call(`${receiver.url}/readyz`, {})).status).toBe(503);
		expect((await call(`${receiver.url}/healthz`, {})).status).toBe(200);
		pages(1_000_000);
		expect((await call(`${receiver.url}/readyz`, {})).status).toBe(200);
		expect(await post(9_999)).toBe(200);

		const { data } = (await receiver.manage('GET', '/events?limit=500')).body as {
			data: Array<{ raw: { id: string } }>;
		};
		const kept = data.map(({ raw }) => raw.id).sort();
		expect(kept).toEqual([...acknowledged].sort());
		const figure = `${refused} × 503, 0 of ${acknowledged.length} acknowledged falsely, recovered`;
		record('disk full', figure);
	});
}
