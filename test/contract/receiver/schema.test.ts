// A database that a newer receiver has upgraded is refused; of several receivers that start at once on
// one database, one makes its tables.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { STEPS } from '../../../webhook-receiver/src/store/schema.ts';
import { openPostgres, openSqlite } from '../../../webhook-receiver/src/operation/store.ts';
import { ENCRYPTION_KEY, cleanUp, later, temporaryFolder } from './harness.ts';
import { query } from './postgres-server.ts';
import { freshDatabase } from './store-environment.ts';

afterEach(cleanUp);

const NEWEST = STEPS.length;
const KINDS = {
	SQLite: async () => {
		const file = join(temporaryFolder(), 'receiver.sqlite');
		const run = async (sql: string) => {
			const database = new DatabaseSync(file);
			database.exec(sql);
			database.close();
		};
		const newer = `PRAGMA user_version = ${NEWEST + 1}`;
		return { open: async () => openSqlite(file), run, newer, where: file };
	},
	PostgreSQL: async () => {
		const url = await freshDatabase();
		const run = async (sql: string) => void (await query(url, sql));
		const newer = `UPDATE registered_delivery.version SET version = ${NEWEST + 1}`;
		const open = () => openPostgres(url, [ENCRYPTION_KEY], () => undefined);
		return { open, run, newer, where: new URL(url).pathname.slice(1) };
	},
};

it.each(Object.entries(KINDS))(
	'%s: a database of a newer receiver is refused, with which, what and what to do',
	async (_, prepare) => {
		const { open, run, newer, where } = await prepare();
		await (await open()).close();
		await run(newer);
		const said = await open().catch((error: Error) => error.message);
		expect(said).toContain(where);
		expect(said).toContain(`version ${NEWEST + 1}, and this receiver knows up to ${NEWEST}`);
		expect(said).toContain('restore a backup from before the upgrade');
	},
);

it('several receivers that start at once make the tables of a PostgreSQL once', async () => {
	const { open } = await KINDS.PostgreSQL();
	const all = await Promise.all(Array.from({ length: 4 }, open));
	for (const store of all) later(() => store.close());
	for (const store of all) {
		expect(await store.log.slice({ limit: 10, before: null })).toEqual([]);
	}
});
