import type { DatabaseSync } from 'node:sqlite';

/** Forward only: a step that was released is never changed, only followed by another. */
export const STEPS: readonly string[] = [
	`
	CREATE TABLE events (
		sequence INTEGER PRIMARY KEY AUTOINCREMENT,
		id TEXT NOT NULL UNIQUE,
		type TEXT NOT NULL,
		message_id TEXT,
		received_at INTEGER NOT NULL,
		-- The whole event as JSON, but for its sequence.
		event TEXT NOT NULL
	) STRICT;
	CREATE INDEX events_by_message ON events (message_id, type) WHERE message_id IS NOT NULL;
	CREATE INDEX events_by_age ON events (received_at);

	CREATE TABLE duplicate_keys (
		key TEXT PRIMARY KEY,
		expires_at INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE INDEX duplicate_keys_by_age ON duplicate_keys (expires_at);

	-- What consumers and batches are: src/store/consumer-rows.ts.
	CREATE TABLE consumers (
		key TEXT PRIMARY KEY,
		name TEXT NOT NULL,
		wants TEXT NOT NULL,
		holder TEXT,
		held_until INTEGER NOT NULL,
		held_since INTEGER NOT NULL,
		position INTEGER NOT NULL,
		start_anew TEXT,
		pulled_at INTEGER NOT NULL,
		away_since INTEGER,
		rival_at INTEGER,
		created_at INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;

	CREATE TABLE batches (
		number INTEGER PRIMARY KEY AUTOINCREMENT,
		id TEXT NOT NULL UNIQUE,
		consumer TEXT NOT NULL,
		sequences TEXT NOT NULL,
		messages TEXT NOT NULL,
		size INTEGER NOT NULL,
		state TEXT NOT NULL,
		attempts INTEGER NOT NULL,
		failures INTEGER NOT NULL,
		holder TEXT,
		due_at INTEGER NOT NULL,
		reason TEXT,
		created_at INTEGER NOT NULL,
		updated_at INTEGER NOT NULL
	) STRICT;
	-- Beside its columns, an index has the number.
	CREATE INDEX batches_open ON batches (consumer) WHERE state IN ('queued', 'in-hand');
	CREATE INDEX batches_dead ON batches (consumer) WHERE state = 'dead';
	CREATE INDEX batches_settled ON batches (updated_at, state) WHERE state IN ('done', 'dead');

	CREATE TABLE watches (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		message_id TEXT NOT NULL UNIQUE,
		-- What is known of the message and its polls, as JSON (src/watch/watch.ts).
		watch TEXT NOT NULL,
		-- Rises whenever a webhook adds to what is known: a poll that was under way meanwhile is stale.
		revision INTEGER NOT NULL,
		-- Null once the watch has ended.
		next_poll_at INTEGER,
		ended_at INTEGER
	) STRICT;
	CREATE INDEX watches_due ON watches (next_poll_at) WHERE next_poll_at IS NOT NULL;
	CREATE INDEX watches_ended ON watches (ended_at) WHERE ended_at IS NOT NULL;

	-- One row: how fast the service is asked, and whether at all.
	CREATE TABLE watch_pace (
		-- No request before this time.
		free_at INTEGER NOT NULL,
		problem TEXT,
		problem_at INTEGER
	) STRICT;
	INSERT INTO watch_pace VALUES (0, NULL, NULL);

	-- What waits are: src/store/wait-rows.ts.
	CREATE TABLE waits (
		id TEXT PRIMARY KEY,
		instance TEXT NOT NULL,
		resume_url TEXT NOT NULL,
		secret TEXT NOT NULL,
		tracked_mail_goal TEXT NOT NULL,
		deadline INTEGER NOT NULL,
		state TEXT NOT NULL,
		reason TEXT,
		due_at INTEGER NOT NULL,
		gives_up_at INTEGER,
		attempts INTEGER NOT NULL,
		last_result TEXT,
		created_at INTEGER NOT NULL,
		updated_at INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE INDEX waits_open ON waits (due_at) WHERE state = 'open';
	CREATE INDEX waits_ready ON waits (instance, due_at) WHERE state = 'ready';
	CREATE INDEX waits_to_give_up ON waits (gives_up_at) WHERE state = 'ready';
	CREATE INDEX waits_under_way ON waits (instance) WHERE state IN ('open', 'ready');
	CREATE INDEX waits_ended ON waits (updated_at) WHERE state IN ('resumed', 'over', 'given-up');

	CREATE TABLE wait_messages (
		wait_id TEXT NOT NULL,
		position INTEGER NOT NULL,
		message_id TEXT NOT NULL,
		message_type TEXT,
		-- What is known of the message, as JSON (src/wait/outcome.ts).
		progress TEXT,
		is_final INTEGER NOT NULL,
		-- Whether there are events that progress does not know yet.
		has_news INTEGER NOT NULL,
		PRIMARY KEY (wait_id, position)
	) STRICT, WITHOUT ROWID;
	CREATE INDEX wait_messages_by_message ON wait_messages (message_id, wait_id);

	-- Kept for good: what was sent must not be sent again next year.
	CREATE TABLE key_claims (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		key TEXT NOT NULL UNIQUE,
		-- As src/claim/decide-claim.ts says.
		state TEXT NOT NULL,
		holder TEXT,
		name TEXT,
		answer TEXT,
		reason TEXT,
		lease_until INTEGER,
		updated_at INTEGER NOT NULL
	) STRICT;
	CREATE INDEX key_claims_by_name ON key_claims (name) WHERE name IS NOT NULL;
	CREATE INDEX key_claims_not_sent ON key_claims (id) WHERE state <> 'sent';

	-- What the readiness check writes: a page that is there already would fit on a full disk too.
	CREATE TABLE probe (filler BLOB NOT NULL) STRICT;
	`,
];

/** Brings a file of any earlier version up to date; refuses one of a later version. */
export function migrate(database: DatabaseSync): void {
	const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
		user_version: number;
	};
	if (version > STEPS.length) {
		throw new Error(
			`The database file has schema version ${version}, made by a newer receiver; this one knows up to ${STEPS.length}.`,
		);
	}
	for (const [index, step] of STEPS.entries()) {
		if (index < version) continue;
		database.exec(`BEGIN IMMEDIATE; ${step} PRAGMA user_version = ${index + 1}; COMMIT;`);
	}
}
