PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE events (
		sequence INTEGER PRIMARY KEY AUTOINCREMENT,
		id text NOT NULL UNIQUE,
		type text NOT NULL,
		message_id text,
		received_at INTEGER NOT NULL,
		-- The whole event as JSON, but for its sequence. Not jsonb, which refuses the character 0.
		event text NOT NULL
	) STRICT;
INSERT INTO events VALUES(1,'evt_01a204d1-53fa-753c-80f5-e7d72f3d743b','tracked_mail.sent','000000000001',1769851800000,'{"id":"evt_01a204d1-53fa-753c-80f5-e7d72f3d743b","type":"tracked_mail.sent","status":"SENT","terminal":false,"reversible":false,"sourceType":"aes_sent","messageId":"000000000001","messageType":"AES","occurredAt":null,"fileReference":"F1","customerReference":null,"raw":{"id":"post-1","event":"aes_sent","messageId":1,"fileReference":"F1","text":"letter 1"},"receivedAt":"2026-01-31T09:30:00.000Z"}');
INSERT INTO events VALUES(2,'evt_01a204d1-53fa-759d-9d15-356565f10f94','tracked_mail.sent','000000000002',1769851800000,'{"id":"evt_01a204d1-53fa-759d-9d15-356565f10f94","type":"tracked_mail.sent","status":"SENT","terminal":false,"reversible":false,"sourceType":"aes_sent","messageId":"000000000002","messageType":"AES","occurredAt":null,"fileReference":"F1","customerReference":null,"raw":{"id":"post-2","event":"aes_sent","messageId":2,"fileReference":"F1","text":"letter 2"},"receivedAt":"2026-01-31T09:30:00.000Z"}');
INSERT INTO events VALUES(3,'evt_01a204d1-53fa-7153-b967-430ff1013115','tracked_mail.sent','000000000003',1769851800000,'{"id":"evt_01a204d1-53fa-7153-b967-430ff1013115","type":"tracked_mail.sent","status":"SENT","terminal":false,"reversible":false,"sourceType":"aes_sent","messageId":"000000000003","messageType":"AES","occurredAt":null,"fileReference":"F1","customerReference":null,"raw":{"id":"post-3","event":"aes_sent","messageId":3,"fileReference":"F1","text":"letter 3"},"receivedAt":"2026-01-31T09:30:00.000Z"}');
INSERT INTO events VALUES(4,'evt_01a204d1-540f-77f8-896d-be3a3652aa61','unknown',NULL,1769851800000,'{"id":"evt_01a204d1-540f-77f8-896d-be3a3652aa61","type":"unknown","status":null,"terminal":false,"reversible":false,"sourceType":"something else","messageId":null,"messageType":null,"occurredAt":null,"fileReference":null,"customerReference":null,"raw":{"event":"something else"},"receivedAt":"2026-01-31T09:30:00.000Z"}');
CREATE TABLE duplicate_keys (key text PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO duplicate_keys VALUES(':92283077526d21b5ffe21295d11ef368',1769852400000);
INSERT INTO duplicate_keys VALUES('000000000001:b7300e7502779de1829011502ad20389',1772443800000);
INSERT INTO duplicate_keys VALUES('000000000002:1d32272d6cbd5871e1a6085971fe3d9d',1772443800000);
INSERT INTO duplicate_keys VALUES('000000000003:20afaa4ad55f3651f292f3ebf20e23e3',1772443800000);
CREATE TABLE consumers (
		key text PRIMARY KEY,
		name text NOT NULL,
		wants text NOT NULL,
		holder text,
		held_until INTEGER NOT NULL,
		held_since INTEGER NOT NULL,
		position INTEGER NOT NULL,
		start_from_now text,
		pulled_at INTEGER NOT NULL,
		away_since INTEGER,
		rival_at INTEGER,
		created_at INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
INSERT INTO consumers VALUES('n8n~flow~trigger~production','name of n8n~flow~trigger~production','{"events":["*"],"batchSize":1}','first-n8n',1769851835000,1769851800000,3,NULL,1769851800000,NULL,NULL,1769851800000);
CREATE TABLE batches (
		number INTEGER PRIMARY KEY AUTOINCREMENT,
		id text NOT NULL UNIQUE,
		consumer text NOT NULL,
		sequences text NOT NULL,
		messages text NOT NULL,
		size INTEGER NOT NULL,
		state text NOT NULL,
		attempts INTEGER NOT NULL,
		failures INTEGER NOT NULL,
		holder text,
		due_at INTEGER NOT NULL,
		reason text,
		created_at INTEGER NOT NULL,
		updated_at INTEGER NOT NULL
	) STRICT;
INSERT INTO batches VALUES(1,'bat_01a204d1-5403-766b-9c2b-5b4ad0b8d99b','n8n~flow~trigger~production','[1]','["000000000001"]',397,'done',1,0,NULL,1769851860000,NULL,1769851800000,1769851800000);
INSERT INTO batches VALUES(2,'bat_01a204d1-540b-7202-8a89-23ebbcd0e879','n8n~flow~trigger~production','[2]','["000000000002"]',397,'dead',1,0,NULL,1769851860000,'The workflow is gone.',1769851800000,1769851800000);
INSERT INTO batches VALUES(3,'bat_01a204d1-540d-7482-b696-35d1508c5c68','n8n~flow~trigger~production','[3]','["000000000003"]',397,'in-hand',1,0,'first-n8n',1769851860000,NULL,1769851800000,1769851800000);
CREATE TABLE watches (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		message_id text NOT NULL UNIQUE,
		-- What is known of the message and its polls, as JSON (src/watch/watch.ts).
		watch text NOT NULL,
		-- Rises whenever a webhook adds to what is known: a poll that was under way meanwhile is stale.
		revision INTEGER NOT NULL,
		-- Null once the watch has ended; while a receiver polls, when another one may take over.
		next_poll_at INTEGER,
		ended_at INTEGER
	);
INSERT INTO watches VALUES(1,'000000000004','{"messageId":"000000000004","messageType":"LRE","fileReference":null,"customerReference":"C1","status":null,"either":null,"changedAt":null,"createdAt":1769851800000,"polledAt":null,"polledStatus":null,"otherPolledAt":null,"failures":0,"notFound":null,"problem":null,"endReason":null,"changes":[]}',0,1769851860000,NULL);
CREATE TABLE watch_pace (
		-- No request before this time.
		free_at INTEGER NOT NULL,
		problem text,
		problem_at INTEGER
	) STRICT;
INSERT INTO watch_pace VALUES(0,NULL,NULL);
CREATE TABLE waits (
		id text PRIMARY KEY,
		instance text NOT NULL,
		resume_url text NOT NULL,
		secret text NOT NULL,
		tracked_mail_goal text NOT NULL,
		deadline INTEGER NOT NULL,
		state text NOT NULL,
		reason text,
		due_at INTEGER NOT NULL,
		gives_up_at INTEGER,
		attempts INTEGER NOT NULL,
		last_result text,
		created_at INTEGER NOT NULL,
		updated_at INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
INSERT INTO waits VALUES('wait-0000-0000-0001','n8n','http://127.0.0.1:5678/webhook-waiting/7?signature=signature-of-n8n','secret-of-this-wait-alone-0123456789','opened',1769855400000,'open',NULL,1769851800000,NULL,0,NULL,1769851800000,1769851800000);
CREATE TABLE wait_messages (
		wait_id text NOT NULL,
		position INTEGER NOT NULL,
		message_id text NOT NULL,
		message_type text,
		-- What is known of the message, as JSON (src/core/outcome.ts).
		progress text,
		is_final INTEGER NOT NULL,
		-- Whether there are events that progress does not know yet.
		has_news INTEGER NOT NULL,
		PRIMARY KEY (wait_id, position)
	) STRICT, WITHOUT ROWID;
INSERT INTO wait_messages VALUES('wait-0000-0000-0001',0,'000000000004','LRE',NULL,0,1);
CREATE TABLE key_claims (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		key text NOT NULL UNIQUE,
		-- As src/claim/decide-claim.ts says; 'free' only within the transaction that asks for the key.
		state text NOT NULL,
		holder text,
		name text,
		answer text,
		reason text,
		lease_until INTEGER,
		updated_at INTEGER NOT NULL
	);
INSERT INTO key_claims VALUES(1,'key-1','sent','holder-of-a-claim-0001','invoice 1','{"messageIds":["000000000001"]}',NULL,NULL,1769851800000);
CREATE TABLE probe (filler BLOB NOT NULL) STRICT;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('events',4);
INSERT INTO sqlite_sequence VALUES('batches',3);
INSERT INTO sqlite_sequence VALUES('watches',1);
INSERT INTO sqlite_sequence VALUES('key_claims',2);
CREATE INDEX events_by_message ON events (message_id, type) WHERE message_id IS NOT NULL;
CREATE INDEX events_by_age ON events (received_at);
CREATE INDEX duplicate_keys_by_age ON duplicate_keys (expires_at);
CREATE INDEX batches_open ON batches (consumer, number)
		WHERE state IN ('queued', 'in-hand');
CREATE INDEX batches_dead ON batches (consumer, number) WHERE state = 'dead';
CREATE INDEX batches_settled ON batches (updated_at, state)
		WHERE state IN ('done', 'dead');
CREATE INDEX watches_due ON watches (next_poll_at) WHERE next_poll_at IS NOT NULL;
CREATE INDEX watches_ended ON watches (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX waits_open ON waits (due_at) WHERE state = 'open';
CREATE INDEX waits_ready ON waits (instance, due_at) WHERE state = 'ready';
CREATE INDEX waits_to_give_up ON waits (gives_up_at) WHERE state = 'ready';
CREATE INDEX waits_under_way ON waits (instance) WHERE state IN ('open', 'ready');
CREATE INDEX waits_ended ON waits (updated_at)
		WHERE state IN ('resumed', 'over', 'given-up');
CREATE INDEX wait_messages_by_message ON wait_messages (message_id, wait_id);
CREATE INDEX key_claims_by_name ON key_claims (name) WHERE name IS NOT NULL;
CREATE INDEX key_claims_not_sent ON key_claims (id) WHERE state <> 'sent';
COMMIT;
PRAGMA user_version = 1;
