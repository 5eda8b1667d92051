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

	CREATE TABLE subscriptions (
		key TEXT PRIMARY KEY,
		-- As registered, the secret included: it signs what is sent.
		subscription TEXT NOT NULL,
		created_at INTEGER NOT NULL,
		updated_at INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;

	CREATE TABLE deliveries (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		subscription TEXT NOT NULL,
		event_sequence INTEGER NOT NULL,
		message_id TEXT,
		state TEXT NOT NULL,
		attempts INTEGER NOT NULL,
		-- Never earlier than that of an earlier pending event of the same message.
		next_attempt_at INTEGER NOT NULL,
		last_result TEXT,
		created_at INTEGER NOT NULL,
		updated_at INTEGER NOT NULL
	) STRICT;
	CREATE INDEX deliveries_due ON deliveries (subscription, next_attempt_at, event_sequence)
		WHERE state = 'pending';
	CREATE INDEX deliveries_in_order ON deliveries (subscription, message_id, event_sequence)
		WHERE state = 'pending';
	CREATE INDEX deliveries_by_event ON deliveries (event_sequence);
	CREATE INDEX deliveries_by_state ON deliveries (state, id);

	CREATE TABLE heartbeat (beat INTEGER NOT NULL) STRICT;
	INSERT INTO heartbeat VALUES (0);
	`,
	`
	-- What waits and what failed of each subscription, and what was settled when.
	CREATE INDEX deliveries_open ON deliveries (state, subscription, created_at)
		WHERE state <> 'delivered';
	CREATE INDEX deliveries_settled ON deliveries (updated_at, state) WHERE state <> 'pending';
	`,
	`
	-- What the readiness check writes: a page that is there already would fit on a full disk too.
	DROP TABLE heartbeat;
	CREATE TABLE probe (filler BLOB NOT NULL) STRICT;
	`,
	`
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
	`,
	`
	CREATE TABLE waits (
		id TEXT PRIMARY KEY,
		resume_url TEXT NOT NULL,
		-- Signs what is sent; empty once nothing more will be.
		secret TEXT NOT NULL,
		tracked_mail_goal TEXT NOT NULL,
		deadline INTEGER NOT NULL,
		state TEXT NOT NULL,
		reason TEXT,
		-- When to look at it: there is news of a message, the deadline is here, an attempt is due.
		due_at INTEGER NOT NULL,
		attempts INTEGER NOT NULL,
		last_result TEXT,
		created_at INTEGER NOT NULL,
		updated_at INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE INDEX waits_due ON waits (state, due_at);

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
	`,
	`
	-- Half of a SHA-256 is enough; what follows it (src/dedup.ts, storedKey) stays.
	UPDATE duplicate_keys SET key = substr(key, 1, 32) || substr(key, 65) WHERE length(key) >= 64;
	`,
	`
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
