/**
 * The tables of both databases, in PostgreSQL's SQL (`sqlite/translate.ts`). Forward only: a
 * released step never changes; a new one follows it.
 */
export const STEPS: readonly string[] = [
	`
	CREATE TABLE events (
		sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		id text NOT NULL UNIQUE,
		type text NOT NULL,
		message_id text,
		received_at bigint NOT NULL,
		-- The whole event as JSON, but for its sequence. Not jsonb, which refuses the character 0.
		event text NOT NULL
	);
	CREATE INDEX events_by_message ON events (message_id, type) WHERE message_id IS NOT NULL;
	CREATE INDEX events_by_age ON events (received_at);
	CREATE INDEX events_without_message ON events (sequence) WHERE message_id IS NULL;

	-- What is known of letters, consents and customers: src/core/records.ts, src/core/listed.ts.
	CREATE TABLE records (
		-- Of two consents of one contact, the newer has the higher.
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		-- The id of a letter; the list and the id of a consent or customer.
		subject text NOT NULL UNIQUE,
		-- As JSON; null for a letter that was erased, of which nothing is stored any more.
		record text,
		-- Who was asked for a consent, or a customer; else null.
		contact text,
		-- Of one that is watched; while a receiver polls, when another one may take over.
		next_poll_at bigint,
		-- When that was decided.
		noted_at bigint,
		-- When its watch ended.
		ended_at bigint,
		-- Until when to keep what was erased, reduced after the retention time, or listed no more; else null.
		expires_at bigint,
		-- Of a letter, what the book finds it by, as its record says: src/letters/.
		began_at bigint,
		claim text,
		recipient text,
		file_reference text,
		customer_reference text,
		workflow text,
		status text,
		outcome text
	);
	CREATE INDEX records_by_outcome ON records (outcome, id) WHERE outcome IS NOT NULL;
	CREATE INDEX records_unsettled ON records (id) WHERE outcome IN ('leaving', 'unknown');
	-- With the outcome, so that letters are counted by the index alone.
	CREATE INDEX records_by_beginning ON records (began_at, outcome) WHERE began_at IS NOT NULL;
	CREATE INDEX records_by_claim ON records (claim) WHERE claim IS NOT NULL;
	CREATE INDEX records_by_recipient ON records (recipient, id) WHERE recipient IS NOT NULL;
	CREATE INDEX records_by_file ON records (file_reference, id) WHERE file_reference IS NOT NULL;
	CREATE INDEX records_by_customer ON records (customer_reference, id)
		WHERE customer_reference IS NOT NULL;
	CREATE INDEX records_by_workflow ON records (workflow, id, outcome) WHERE workflow IS NOT NULL;
	CREATE INDEX records_by_contact ON records (contact) WHERE contact IS NOT NULL;
	CREATE INDEX records_due ON records (next_poll_at) WHERE next_poll_at IS NOT NULL;
	CREATE INDEX records_noted ON records (noted_at) WHERE next_poll_at IS NOT NULL;
	CREATE INDEX records_watched ON records (id)
		WHERE next_poll_at IS NOT NULL OR ended_at IS NOT NULL;
	CREATE INDEX records_expired ON records (expires_at) WHERE expires_at IS NOT NULL;

	-- By what events without a message are recognised.
	CREATE TABLE duplicate_keys (key text PRIMARY KEY, expires_at bigint NOT NULL);
	CREATE INDEX duplicate_keys_by_age ON duplicate_keys (expires_at);

	-- What consumers and batches are: src/pull/consumer-rows.ts, batch-rows.ts.
	CREATE TABLE consumers (
		key text PRIMARY KEY,
		name text NOT NULL,
		node text NOT NULL,
		url text,
		wants text NOT NULL,
		holder text,
		held_until bigint NOT NULL,
		held_since bigint NOT NULL,
		position bigint NOT NULL,
		start_from_now text,
		pulled_at bigint NOT NULL,
		away_since bigint,
		rival_at bigint,
		created_at bigint NOT NULL
	);

	CREATE TABLE batches (
		number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		id text NOT NULL UNIQUE,
		consumer text NOT NULL,
		sequences text NOT NULL,
		-- What wakes an execution is a batch of its wait.
		wait text,
		subjects text NOT NULL,
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
	CREATE INDEX batches_open ON batches (consumer, number)
		WHERE state IN ('queued', 'in-hand');
	-- What becomes of a letter. Most batches are of one letter: 16 characters of JSON with its id.
	CREATE INDEX batches_of_one ON batches (subjects) WHERE length(subjects) = 16;
	CREATE INDEX batches_of_several ON batches (created_at) WHERE length(subjects) > 16;
	CREATE INDEX batches_dead ON batches (consumer, number) WHERE state = 'dead';
	CREATE INDEX batches_settled ON batches (updated_at, state)
		WHERE state IN ('done', 'dead');
	CREATE UNIQUE INDEX batches_of_waits ON batches (wait) WHERE wait IS NOT NULL;
	CREATE INDEX wake_ups_open ON batches (created_at)
		WHERE wait IS NOT NULL AND state IN ('queued', 'in-hand');
	CREATE INDEX wake_ups_due ON batches (consumer, due_at)
		WHERE wait IS NOT NULL AND state IN ('queued', 'in-hand');
	CREATE INDEX wake_ups_updated ON batches (consumer, updated_at)
		WHERE wait IS NOT NULL AND state IN ('queued', 'in-hand');

	-- One row: how fast the service is asked by all receivers together, and whether at all.
	CREATE TABLE watch_pace (
		-- No request before this time.
		free_at bigint NOT NULL,
		-- When that was decided.
		noted_at bigint NOT NULL,
		problem text,
		problem_at bigint
	);
	INSERT INTO watch_pace VALUES (0, 0, NULL, NULL);

	-- What waits are: src/wait/wait-rows.ts.
	CREATE TABLE waits (
		id text PRIMARY KEY,
		instance text NOT NULL,
		target text NOT NULL,
		-- How to wake the execution: src/wait/seals.ts.
		sealed text NOT NULL,
		tracked_mail_goal text NOT NULL,
		awaits text NOT NULL,
		deadline bigint NOT NULL,
		due_at bigint,
		created_at bigint NOT NULL
	);
	CREATE INDEX waits_due ON waits (due_at) WHERE due_at IS NOT NULL;
	CREATE INDEX waits_open ON waits (instance) WHERE due_at IS NOT NULL;

	CREATE TABLE awaited (
		wait_id text NOT NULL,
		position integer NOT NULL,
		-- As in records.
		subject text NOT NULL,
		message_type text,
		-- What is known of it, as JSON: src/core/outcome.ts.
		outcome text NOT NULL,
		is_final boolean NOT NULL,
		-- Whether its record has changed since.
		has_news boolean NOT NULL,
		PRIMARY KEY (wait_id, position)
	);
	CREATE INDEX awaited_by_subject ON awaited (subject, wait_id);

	-- Users' own are kept for good: what was sent must not be sent again next year.
	CREATE TABLE key_claims (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		key text NOT NULL UNIQUE,
		-- As src/claim/decide-claim.ts says; 'free' only within the transaction that asks for the key.
		state text NOT NULL,
		holder text,
		name text,
		answer text,
		reason text,
		-- What the key was first used for, as JSON: src/core/used-for.ts.
		used_for text,
		lease_until bigint,
		-- Whether only retries of an execution ask for it.
		is_own boolean NOT NULL DEFAULT false,
		updated_at bigint NOT NULL
	);
	CREATE INDEX key_claims_by_name ON key_claims (name) WHERE name IS NOT NULL;
	CREATE INDEX key_claims_own ON key_claims (updated_at) WHERE is_own;
	CREATE INDEX key_claims_not_sent ON key_claims (id) WHERE state <> 'sent';

	-- What a person has to see to, and has had to: src/attention/attention.ts.
	CREATE TABLE attention (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		kind text NOT NULL,
		-- The consumer it is about; '' for the receiver as a whole.
		subject text NOT NULL,
		-- What is known of it, as JSON.
		facts text NOT NULL,
		began_at bigint NOT NULL,
		ended_at bigint,
		-- Whether its event is in the log.
		is_told boolean NOT NULL
	);
	CREATE UNIQUE INDEX attention_open ON attention (kind, subject) WHERE ended_at IS NULL;
	CREATE INDEX attention_untold ON attention (id) WHERE NOT is_told;
	CREATE INDEX attention_ended ON attention (ended_at) WHERE ended_at IS NOT NULL;

	-- The service's lists, and those that somebody wants to be watched: src/watch/list-watch.ts.
	CREATE TABLE lists (
		name text PRIMARY KEY,
		-- How far its watching has come, as JSON; null while nobody wants it.
		watch text,
		revision bigint NOT NULL,
		-- When a page was last asked for.
		asked_at bigint,
		-- Null while nobody wants it; while a receiver polls, when another one may take over.
		next_poll_at bigint
	);
	INSERT INTO lists VALUES ('consents', NULL, 0, NULL, NULL), ('customers', NULL, 0, NULL, NULL);
	`,
];

/**
 * The steps that a database of this version lacks. Whoever runs them does so in one transaction,
 * with the new version, and nobody else at the same time.
 *
 * @param where names the database in the error
 */
export function stepsAfter(version: number, where: string): readonly string[] {
	if (version > STEPS.length) {
		// Our own error: the database itself is fine.
		throw new TypeError(
			`${where} has schema version ${version}, and this receiver knows up to ${STEPS.length}: a newer ` +
				'receiver has made or upgraded it. Start that one again, or restore a backup from before the upgrade.',
		);
	}
	return STEPS.slice(version);
}
