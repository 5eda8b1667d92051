import type { Db } from './connect.ts';

export const SCHEMA = 'registered_delivery';

/** Any number will do, as long as all receivers take the same. */
const MIGRATION_LOCK = 7_306_251;

/** Forward only: a step that was released is never changed, only followed by another. */
const STEPS: readonly string[] = [
	`
	CREATE TABLE ${SCHEMA}.events (
		sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		-- The transaction that stored it: a lower sequence may be committed after a higher one (log.ts).
		xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
		id text NOT NULL UNIQUE,
		type text NOT NULL,
		message_id text,
		received_at bigint NOT NULL,
		-- The whole event as JSON, but for its sequence. Not jsonb, which refuses the character 0.
		event text NOT NULL
	);
	CREATE INDEX events_in_order ON ${SCHEMA}.events (xid, sequence);
	CREATE INDEX events_by_message ON ${SCHEMA}.events (message_id, type) WHERE message_id IS NOT NULL;
	CREATE INDEX events_by_age ON ${SCHEMA}.events (received_at);

	CREATE TABLE ${SCHEMA}.duplicate_keys (key text PRIMARY KEY, expires_at bigint NOT NULL);
	CREATE INDEX duplicate_keys_by_age ON ${SCHEMA}.duplicate_keys (expires_at);

	-- What consumers and batches are: src/store/consumer-rows.ts.
	CREATE TABLE ${SCHEMA}.consumers (
		key text PRIMARY KEY,
		name text NOT NULL,
		wants text NOT NULL,
		holder text,
		held_until bigint NOT NULL,
		held_since bigint NOT NULL,
		-- Where it is in the log (log.ts); what was committed when it began there is behind it.
		xid xid8 NOT NULL,
		position bigint NOT NULL,
		began pg_snapshot NOT NULL,
		start_anew text,
		pulled_at bigint NOT NULL,
		away_since bigint,
		rival_at bigint,
		created_at bigint NOT NULL
	);

	CREATE TABLE ${SCHEMA}.batches (
		number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		id text NOT NULL UNIQUE,
		consumer text NOT NULL,
		sequences text NOT NULL,
		messages text NOT NULL,
		size bigint NOT NULL,
		state text NOT NULL,
		attempts integer NOT NULL,
		failures integer NOT NULL,
		holder text,
		due_at bigint NOT NULL,
		reason text,
		created_at bigint NOT NULL,
		updated_at bigint NOT NULL
	);
	CREATE INDEX batches_open ON ${SCHEMA}.batches (consumer, number)
		WHERE state IN ('queued', 'in-hand');
	CREATE INDEX batches_dead ON ${SCHEMA}.batches (consumer, number) WHERE state = 'dead';
	CREATE INDEX batches_settled ON ${SCHEMA}.batches (updated_at, state)
		WHERE state IN ('done', 'dead');

	CREATE TABLE ${SCHEMA}.watches (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		message_id text NOT NULL UNIQUE,
		-- What is known of the message and its polls, as JSON (src/watch/watch.ts).
		watch text NOT NULL,
		-- Rises whenever a webhook adds to what is known: a poll that was under way meanwhile is stale.
		revision bigint NOT NULL,
		-- Null once the watch has ended; while a receiver polls, when another one may take over.
		next_poll_at bigint,
		ended_at bigint
	);
	CREATE INDEX watches_due ON ${SCHEMA}.watches (next_poll_at) WHERE next_poll_at IS NOT NULL;
	CREATE INDEX watches_ended ON ${SCHEMA}.watches (ended_at) WHERE ended_at IS NOT NULL;

	-- One row: how fast the service is asked by all receivers together, and whether at all.
	CREATE TABLE ${SCHEMA}.watch_pace (
		-- No request before this time.
		free_at bigint NOT NULL,
		problem text,
		problem_at bigint
	);
	INSERT INTO ${SCHEMA}.watch_pace VALUES (0, NULL, NULL);

	-- What waits are: src/store/wait-rows.ts.
	CREATE TABLE ${SCHEMA}.waits (
		id text PRIMARY KEY,
		instance text NOT NULL,
		resume_url text NOT NULL,
		secret text NOT NULL,
		tracked_mail_goal text NOT NULL,
		deadline bigint NOT NULL,
		state text NOT NULL,
		reason text,
		due_at bigint NOT NULL,
		gives_up_at bigint,
		attempts integer NOT NULL,
		last_result text,
		created_at bigint NOT NULL,
		updated_at bigint NOT NULL
	);
	CREATE INDEX waits_open ON ${SCHEMA}.waits (due_at) WHERE state = 'open';
	CREATE INDEX waits_ready ON ${SCHEMA}.waits (instance, due_at) WHERE state = 'ready';
	CREATE INDEX waits_to_give_up ON ${SCHEMA}.waits (gives_up_at) WHERE state = 'ready';
	CREATE INDEX waits_under_way ON ${SCHEMA}.waits (instance) WHERE state IN ('open', 'ready');
	CREATE INDEX waits_ended ON ${SCHEMA}.waits (updated_at)
		WHERE state IN ('resumed', 'over', 'given-up');

	CREATE TABLE ${SCHEMA}.wait_messages (
		wait_id text NOT NULL,
		position integer NOT NULL,
		message_id text NOT NULL,
		message_type text,
		-- What is known of the message, as JSON (src/wait/outcome.ts).
		progress text,
		is_final boolean NOT NULL,
		-- Whether there are events that progress does not know yet.
		has_news boolean NOT NULL,
		PRIMARY KEY (wait_id, position)
	);
	CREATE INDEX wait_messages_by_message ON ${SCHEMA}.wait_messages (message_id, wait_id);

	-- Kept for good: what was sent must not be sent again next year.
	CREATE TABLE ${SCHEMA}.key_claims (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		key text NOT NULL UNIQUE,
		-- As src/claim/decide-claim.ts says; 'free' only within the transaction that asks for the key.
		state text NOT NULL,
		holder text,
		name text,
		answer text,
		reason text,
		lease_until bigint,
		updated_at bigint NOT NULL
	);
	CREATE INDEX key_claims_by_name ON ${SCHEMA}.key_claims (name) WHERE name IS NOT NULL;
	CREATE INDEX key_claims_not_sent ON ${SCHEMA}.key_claims (id) WHERE state <> 'sent';

	CREATE TABLE ${SCHEMA}.heartbeat (beat bigint NOT NULL);
	INSERT INTO ${SCHEMA}.heartbeat VALUES (0);
	`,
];

/** Brings the schema up to date, one receiver at a time; refuses one of a later version. */
export async function migrate(db: Db): Promise<void> {
	// Until the transaction ends other receivers wait here: they may all start at once.
	await db.rows('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
	await db.rows(`
		CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
		CREATE TABLE IF NOT EXISTS ${SCHEMA}.version (version integer NOT NULL);
	`);
	const rows = await db.rows(`SELECT version FROM ${SCHEMA}.version`);
	const version = (rows[0] as { version: number } | undefined)?.version ?? 0;
	if (version > STEPS.length) {
		throw new TypeError(
			`The database has schema version ${version}, made by a newer receiver; this one knows up to ${STEPS.length}.`,
		);
	}
	if (version === STEPS.length) return;
	for (const step of STEPS.slice(version)) await db.rows(step);
	await db.rows(`DELETE FROM ${SCHEMA}.version`);
	await db.rows(`INSERT INTO ${SCHEMA}.version VALUES ($1)`, [STEPS.length]);
}
