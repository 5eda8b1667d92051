import { once } from 'node:events';
import type { NewEvent } from '../../core/changes.ts';
import type { Db, Engine, Transaction } from '../../sql/engine.ts';
import { Notices } from '../../sql/engine.ts';
import { putInto, VERSIONS, stepsAfter } from '../../sql/statements.ts';
import type { Schema, VersionRow } from '../../sql/statements.ts';
import { readAddress, Database, SCHEMA, rowsOf } from './connect.ts';
import { CHANNEL, NEW_EVENTS, notify, openFeed } from './feed.ts';
import type { Feed } from './feed.ts';
import { leadOn } from './lead.ts';

/**
 * Events have their own connection, so that whatever n8n asks for never holds up ingest. Only one, so
 * that readiness can't find another alive while ingest hangs.
 */
const FOR_EVENTS = { connections: 1, patienceMs: 3_000, transactionMs: 5_000 };
/** What else takes turns, one by one: an event waits for one of them at most. */
const FOR_TURNS = { connections: 1, patienceMs: 10_000, transactionMs: 5_000 };
const FOR_ALL_ELSE = { connections: 7, patienceMs: 10_000, transactionMs: 30_000 };

/** How long a notice may take that is sent to find out whether any arrive. */
const NOTICE_MS = 3_000;

/** Arbitrary numbers that all receivers share. */
const MIGRATION_LOCK = 7_306_251;
const TURN_LOCK = 7_306_252;

/**
 * Without turns a lower sequence could commit after a higher one, and readers would skip it. They
 * cost little: PostgreSQL serialises commits that notify anyway, and a waiting batch grows meanwhile.
 */
const BEGIN_IN_TURN = `BEGIN; SELECT pg_advisory_xact_lock(${TURN_LOCK})`;

/** PostgreSQL only: the row that the readiness check writes. */
const OWN_TABLES = `
	CREATE TABLE heartbeat (beat bigint NOT NULL);
	INSERT INTO heartbeat VALUES (0);
`;

/** PostgreSQL: several receivers side by side. */
export async function openPostgresEngine(
	given: string,
	schemas: readonly Schema[],
	onError: (error: Error) => void,
): Promise<Engine> {
	const { url, database: name } = readAddress(given);
	const database = new Database(url, { ...FOR_ALL_ELSE, onError });
	const events = new Database(url, { ...FOR_EVENTS, onError });
	const turns = new Database(url, { ...FOR_TURNS, onError });
	const databases = { database, events, turns };
	try {
		await assertSessions(database);
		await migrate(database, schemas, `Schema ${SCHEMA} of database ${name}`);
		return engineOn(databases, await openFeed(database, onError), onError);
	} catch (error) {
		// Not awaited: a server that wants a password waits a minute for it, and the connection with it.
		void Promise.allSettled(Object.values(databases).map((one) => one.close()));
		throw new Error(`DATABASE_URL: ${reason(error)}`, { cause: error });
	}
}

/** A notice reaches a connection that listens, unless connections change their sessions on the way. */
async function assertSessions(database: Database): Promise<void> {
	const channel = `${CHANNEL}_start`;
	const listener = await database.connect();
	try {
		await rowsOf(listener, `LISTEN ${channel}`);
		const heard = once(listener, 'notification', { signal: AbortSignal.timeout(NOTICE_MS) });
		await Promise.all([
			heard.catch(() => {
				throw new Error(POOLED);
			}),
			database.rows(`SELECT pg_notify('${channel}', '')`),
		]);
	} finally {
		void listener.end();
	}
}

type Databases = Record<'database' | 'events' | 'turns', Database>;

function engineOn(
	{ database, events, turns }: Databases,
	feed: Feed,
	onError: (error: Error) => void,
): Engine {
	let lead: ReturnType<typeof leadOn> | null = null;
	const onUse = () => {
		feed.onUse();
		lead?.onUse();
	};
	const turnOn =
		(one: Database): Engine['inTurn'] =>
		(work) =>
			within(one, (tx) => work({ ...tx, append: (fresh) => append(tx, fresh) }), BEGIN_IN_TURN);
	return {
		rows(text, values) {
			onUse();
			return database.rows(text, values);
		},
		transaction(work) {
			onUse();
			return within(database, work);
		},
		inTurn: turnOn(turns),
		intake: turnOn(events),

		/** Left to the server: VACUUM, its write-ahead log and its backups. */
		scrub: () => Promise.resolve(),
		rewrite: () => Promise.resolve(0),
		backup: () => Promise.resolve(null),

		listen: (listener) => feed.listen(listener),
		lead: (leader) =>
			void (lead = leadOn(database, leader, { isWaiting: feed.isWaiting, onError })),

		check: () =>
			within(
				events,
				async ({ rows }) => void (await rows('UPDATE heartbeat SET beat = beat + 1')),
				BEGIN_IN_TURN,
			),

		async space() {
			const [{ used }] = await database.rows(
				`SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint AS used
				FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'`,
				[SCHEMA],
			);
			return { used, free: null };
		},

		async close() {
			await Promise.all([feed.stop(), lead?.stop()]);
			await Promise.all([database, events, turns].map((one) => one.close()));
		},
	};
}

async function append(db: Db, events: readonly NewEvent[]): Promise<void> {
	if (events.length === 0) return;
	await db.rows(
		`WITH stored AS (
			INSERT INTO events (id, type, message_id, received_at, event)
			SELECT id, type, message_id, received_at, event
			FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
				WITH ORDINALITY AS fresh (id, type, message_id, received_at, event, place)
			ORDER BY place
		)
		SELECT pg_notify('${CHANNEL}', '${NEW_EVENTS}')`,
		[
			events.map(({ id }) => id),
			events.map(({ type }) => type),
			events.map(({ messageId }) => messageId),
			events.map(({ receivedAt }) => Date.parse(receivedAt)),
			events.map((event) => JSON.stringify(event)),
		],
	);
}

function within<T>(
	database: Database,
	work: (tx: Transaction) => Promise<T>,
	begin = 'BEGIN',
): Promise<T> {
	return database.transaction(async ({ rows }) => {
		const notices = new Notices();
		const result = await work({ rows, notices });
		await notify({ rows }, notices);
		return result;
	}, begin);
}

/** Migrates the schema, one receiver at a time. */
function migrate(database: Database, schemas: readonly Schema[], where: string): Promise<void> {
	return database.transaction(async (db) => {
		// Other receivers wait here until the transaction ends: they may all start at once.
		await db.rows('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
		await db.rows(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}; ${VERSIONS}`);
		const present = await db.rows<VersionRow>('SELECT * FROM versions');
		const { steps, versions } = stepsAfter(present, schemas, where);
		if (steps.length === 0) return;
		for (const step of steps) await db.rows(step);
		if (present.length === 0) await db.rows(OWN_TABLES);
		await putVersions(db, versions);
	});
}

const putVersions = putInto('versions', { part: 'text' }, { version: 'integer' });

const POOLED =
	'a pooler in transaction mode stands before the server, where sessions and notices get lost. Use the direct address of the server, or session mode.';

/** The innermost reason; it never includes the URL, which holds the password. */
const NO_ADDRESS = 'its host has no address. Check the name.';

const UNKNOWN_AUTHORITY =
	'its certificate is from an authority that is not known here. Name the file of the authority: sslrootcert=/path/ca.pem in the query.';

const NO_PASSWORD = 'the server wants a password. Put one behind the user, with a colon.';

/** By the codes of the system and of PostgreSQL. */
const REASONS: Record<string, string> = {
	ECONNREFUSED: 'no server listens there. Start it, or check host and port.',
	ENOTFOUND: NO_ADDRESS,
	EAI_AGAIN: NO_ADDRESS,
	SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
	DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
	'25006': 'the server is read-only, as a standby is. Use the address of the primary.',
	'28P01': 'the server refuses the password. Check user and password.',
	'28000': 'the server refuses the user, or a connection without TLS. Check user and sslmode.',
	'3D000': 'the server has no such database. Create it, or name another one.',
	'42501': `the user may not make what the receiver needs. Grant it CREATE on the database, and make it the owner of schema ${SCHEMA} if there is one.`,
	'53300': 'the server has no connection free. A receiver takes up to eleven.',
};

/** Why a database can't be the store, and what to do. */
function reason(error: unknown): string {
	const { cause, message, code = '' } = error as { cause?: unknown } & NodeJS.ErrnoException;
	if (cause !== undefined) return reason(cause);
	// The driver's own, which has no code.
	if (message.includes('client password must be a string')) return NO_PASSWORD;
	return REASONS[code] ?? (message || code || 'it gives no reason.');
}
