// A database of an earlier schema, with data, is taken over whole; one of a newer is refused. The
// folder schema-1 has what the first schema looked like, as sqlite3 and pg_dump wrote it down.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STEPS } from '../../../webhook-receiver/src/store/schema.ts';
import { openPostgres, openSqlite } from '../../../webhook-receiver/src/store/open.ts';
import type { Store } from '../../../webhook-receiver/src/store/store.ts';
import { ENCRYPTION_KEY, cleanUp, later, temporaryFolder } from './harness.ts';
import { query } from './postgres-server.ts';
import { freshDatabase } from './store-environment.ts';
import { pullOf, tracesOf } from './stores.ts';

afterEach(cleanUp);

const first = (name: string) => readFileSync(join(__dirname, 'schema-1', `${name}.sql`), 'utf8');
const NEWEST = STEPS.length;
const KINDS = {
	SQLite: async () => {
		const file = join(temporaryFolder(), 'receiver.sqlite');
		const run = async (sql: string) => {
			const database = new DatabaseSync(file);
			try {
				database.exec(sql);
			} finally {
				database.close();
			}
		};
		const read = async () => {
			const database = new DatabaseSync(file);
			const [{ user_version: version }] = database.prepare('PRAGMA user_version').all();
			database.close();
			return version;
		};
		await run(first('sqlite'));
		const newer = `PRAGMA user_version = ${NEWEST + 1}`;
		return { open: async () => openSqlite(file), run, read, newer, where: file };
	},
	PostgreSQL: async () => {
		const url = await freshDatabase();
		const run = async (sql: string) => void (await query(url, sql));
		const read = async () =>
			(await query(url, 'SELECT version FROM registered_delivery.version'))[0].version;
		await run(first('postgres'));
		const newer = `UPDATE registered_delivery.version SET version = ${NEWEST + 1}`;
		const open = () => openPostgres(url, [ENCRYPTION_KEY], () => undefined);
		return { open, run, read, newer, where: new URL(url).pathname.slice(1) };
	},
};

describe.each(Object.entries(KINDS))('%s', (name, prepare) => {
	const opened = async (open: () => Promise<Store>) => {
		const store = await open();
		let closed: Promise<void> | undefined;
		const close = () => (closed ??= store.close());
		later(close);
		return { store, close };
	};

	it('takes over a database of the first schema with everything in it', async () => {
		const { open, read } = await prepare();
		expect(await read()).toBe(1);
		const { store, close } = await opened(open);
		const now = Date.UTC(2026, 0, 31, 10);
		const ids = ['000000000001', '000000000002', '000000000003', null];
		const events = (await store.events({ limit: 10, before: null })).reverse();
		expect(events.map(({ messageId }) => messageId)).toEqual(ids);
		expect(events[0]).toMatchObject({ fileReference: 'F1', raw: { text: 'letter 1' } });
		const batches = await store.consumers.batches({ limit: 10, before: null, state: null });
		expect(batches.map(({ state }) => state)).toEqual(['in-hand', 'dead', 'done']);
		expect(batches[1].reason).toBe('The workflow is gone.');
		expect(await store.watching.get('000000000004')).toMatchObject({ customerReference: 'C1' });
		const waits = await store.waits.waiting('n8n');
		expect(waits.count).toBe(1);
		const claim = await store.claims.get('key-1', now);
		expect(claim).toMatchObject({
			state: 'sent',
			name: 'invoice 1',
			answer: { messageIds: [ids[0]] },
		});

		// It works on: what was in hand comes again, then the rest.
		const pull = pullOf('n8n~flow~trigger~production', { atOnce: 5 });
		const taken = await store.consumers.take(pull, now);
		const given = taken.kind === 'taken' ? taken.batches : [];
		expect(given.map(({ id, attempt, events: [one] }) => [id, attempt, one.messageId])).toEqual([
			[batches[0].id, 2, ids[2]],
			[expect.any(String), 1, null],
		]);
		// What woke executions stood there in plain text.
		expect(await store.waits.reseal()).toBe(0);
		for (const secret of ['secret-of-this-wait-alone', 'signature-of-n8n']) {
			expect(await tracesOf(store, secret)).toEqual([]);
		}
		while (await store.waits.gather(Date.now())) continue;
		expect(await store.waits.claim('n8n', 1, Date.now())).toMatchObject([
			{
				resumeUrl: 'http://127.0.0.1:5678/webhook-waiting/7?signature=signature-of-n8n',
				secret: 'secret-of-this-wait-alone-0123456789',
			},
		]);
		expect(await store.erase({ fileReference: 'F1' }, now, now + 1)).toEqual(ids.slice(0, 3));
		expect(await store.erase({ customerReference: 'C1' }, now, now + 1)).toEqual(['000000000004']);
		await close();
		expect(await read()).toBe(NEWEST);
	});

	it('leaves a database alone whose upgrade fails', async () => {
		const { open, run, read } = await prepare();
		const schema = name === 'SQLite' ? '' : 'registered_delivery.';
		// In the way of the last thing that the step makes.
		await run(`CREATE INDEX events_without_message ON ${schema}events (id)`);
		await expect(open()).rejects.toThrow(/events_without_message/);
		expect(await read()).toBe(1);
		await expect(run(`SELECT 1 FROM ${schema}erased`)).rejects.toThrow(/erased/);
		await run(`DROP INDEX ${schema}events_without_message`);
		await opened(open);
	});

	it('refuses a database of a newer receiver, and says which, what and what to do', async () => {
		const { open, run, newer, where } = await prepare();
		await run(newer);
		const said = await open().catch((error: Error) => error.message);
		expect(said).toContain(where);
		expect(said).toContain(`version ${NEWEST + 1}, and this receiver knows up to ${NEWEST}`);
		expect(said).toContain('restore a backup from before the upgrade');
	});
});

it('several receivers that start at once upgrade a PostgreSQL once', async () => {
	const { open, read } = await KINDS.PostgreSQL();
	const all = await Promise.all(Array.from({ length: 4 }, open));
	for (const store of all) later(() => store.close());
	expect(await read()).toBe(NEWEST);
	for (const store of all) {
		expect(await store.events({ limit: 10, before: null })).toHaveLength(4);
	}
});
