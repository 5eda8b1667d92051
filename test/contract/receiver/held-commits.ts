// Holds up transactions of a receiver on PostgreSQL just before they commit, so that what they must wait
// for, or what must wait for them, can be seen.
import pg from 'pg';
import { later } from './harness.ts';

/** SQL that executes a statement for each table of a receiver, `%s` in it. */
export const onEachTable = (statement: string) =>
	`DO $$ DECLARE one regclass; BEGIN
		FOR one IN SELECT oid FROM pg_class
			WHERE relnamespace = 'registered_delivery'::regnamespace AND relkind = 'r'
		LOOP
			EXECUTE format('${statement}', one);
		END LOOP;
	END $$`;

/** Holds up all that commits something with this text in it. */
export async function holdCommits(url: string, text: string) {
	const client = new pg.Client({ connectionString: url });
	await client.connect();
	later(() => client.end());
	await client.query('SELECT pg_advisory_lock(1)');
	await client.query(`
		CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF to_jsonb(NEW)::text LIKE '%${text}%' THEN PERFORM pg_advisory_xact_lock(1); END IF;
			RETURN NULL;
		END $$;
		${onEachTable(`CREATE CONSTRAINT TRIGGER hold AFTER INSERT OR UPDATE ON %s
			DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.hold()`)}`);
	return {
		/** How many transactions wait for another one. */
		async waiting(): Promise<number> {
			const { rows } = await client.query<{ count: number }>(
				`SELECT count(*)::int AS count FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock'`,
			);
			return rows[0]?.count ?? 0;
		},
		release: () => client.query('SELECT pg_advisory_unlock(1)'),
	};
}
