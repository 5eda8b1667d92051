// A database that a newer receiver has upgraded is refused; of several receivers that start at once on
// one database, one makes its tables.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cleanUp, start, temporaryFolder } from './harness.ts';
import { query } from './postgres-server.ts';
import { freshDatabase } from './store-environment.ts';

afterEach(cleanUp);

/** Far more than there will be. */
const NEWER = 10_000;
const KINDS = {
	SQLite: async () => {
		const folder = temporaryFolder();
		const file = join(folder, 'receiver.sqlite');
		const upgrade = async () => {
			const database = new DatabaseSync(file);
			database.exec(`UPDATE versions SET version = ${NEWER} WHERE part = 'waits'`);
			database.close();
		};
		return { options: { folder }, upgrade, where: file };
	},
	PostgreSQL: async () => {
		const url = await freshDatabase();
		const upgrade = async () => {
			await query(
				url,
				`UPDATE registered_delivery.versions SET version = ${NEWER} WHERE part = 'waits'`,
			);
		};
		return {
			options: { env: { DATABASE_URL: url } },
			upgrade,
			where: new URL(url).pathname.slice(1),
		};
	},
};

it.each(Object.entries(KINDS))(
	'%s: a database of a newer receiver is refused, with which, what and what to do',
	async (_, prepare) => {
		const { options, upgrade, where } = await prepare();
		await (await start(options)).close();
		await upgrade();
		const said = await start(options).then(
			() => 'It started.',
			(error: Error) => error.message,
		);
		expect(said).toContain(where);
		expect(said).toMatch(new RegExp(`version ${NEWER}, and this receiver knows up to \\d+`));
		expect(said).toContain('restore a backup from before the upgrade');
	},
);

it('several receivers that start at once make the tables of a PostgreSQL once', async () => {
	const { options } = await KINDS.PostgreSQL();
	const all = await Promise.all([1, 2, 3, 4].map(() => start(options)));
	for (const { events } of all) expect(await events()).toEqual([]);
});
