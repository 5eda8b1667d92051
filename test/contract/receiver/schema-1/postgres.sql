CREATE SCHEMA registered_delivery;

CREATE TABLE registered_delivery.batches (
    number bigint NOT NULL,
    id text NOT NULL,
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

ALTER TABLE registered_delivery.batches ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME registered_delivery.batches_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE registered_delivery.consumers (
    key text NOT NULL,
    name text NOT NULL,
    wants text NOT NULL,
    holder text,
    held_until bigint NOT NULL,
    held_since bigint NOT NULL,
    "position" bigint NOT NULL,
    start_from_now text,
    pulled_at bigint NOT NULL,
    away_since bigint,
    rival_at bigint,
    created_at bigint NOT NULL
);

CREATE TABLE registered_delivery.duplicate_keys (
    key text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);

CREATE TABLE registered_delivery.events (
    sequence bigint NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    message_id text,
    received_at bigint NOT NULL,
    event text NOT NULL
);

ALTER TABLE registered_delivery.events ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME registered_delivery.events_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE registered_delivery.heartbeat (
    beat bigint NOT NULL
);

CREATE TABLE registered_delivery.key_claims (
    id bigint NOT NULL,
    key text NOT NULL,
    state text NOT NULL,
    holder text,
    name text,
    answer text,
    reason text,
    lease_until bigint,
    updated_at bigint NOT NULL
);

ALTER TABLE registered_delivery.key_claims ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME registered_delivery.key_claims_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE registered_delivery.version (
    version integer NOT NULL
);

CREATE TABLE registered_delivery.wait_messages (
    wait_id text NOT NULL,
    "position" integer NOT NULL,
    message_id text NOT NULL,
    message_type text,
    progress text,
    is_final boolean NOT NULL,
    has_news boolean NOT NULL
);

CREATE TABLE registered_delivery.waits (
    id text NOT NULL,
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

CREATE TABLE registered_delivery.watch_pace (
    free_at bigint NOT NULL,
    problem text,
    problem_at bigint
);

CREATE TABLE registered_delivery.watches (
    id bigint NOT NULL,
    message_id text NOT NULL,
    watch text NOT NULL,
    revision bigint NOT NULL,
    next_poll_at bigint,
    ended_at bigint
);

ALTER TABLE registered_delivery.watches ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME registered_delivery.watches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

INSERT INTO registered_delivery.batches OVERRIDING SYSTEM VALUE VALUES (1, 'bat_01a204d1-5e1f-70c6-b603-7e4224cf75f0', 'n8n~flow~trigger~production', '[1]', '["000000000001"]', 397, 'done', 1, 0, NULL, 1769851860000, NULL, 1769851800000, 1769851800000);
INSERT INTO registered_delivery.batches OVERRIDING SYSTEM VALUE VALUES (2, 'bat_01a204d1-5e25-73dc-8b33-57d2a940db29', 'n8n~flow~trigger~production', '[2]', '["000000000002"]', 397, 'dead', 1, 0, NULL, 1769851860000, 'The workflow is gone.', 1769851800000, 1769851800000);
INSERT INTO registered_delivery.batches OVERRIDING SYSTEM VALUE VALUES (3, 'bat_01a204d1-5e29-75bf-aade-66b6856eb889', 'n8n~flow~trigger~production', '[3]', '["000000000003"]', 397, 'in-hand', 1, 0, 'first-n8n', 1769851860000, NULL, 1769851800000, 1769851800000);

INSERT INTO registered_delivery.consumers VALUES ('n8n~flow~trigger~production', 'name of n8n~flow~trigger~production', '{"events":["*"],"batchSize":1}', 'first-n8n', 1769851835000, 1769851800000, 3, NULL, 1769851800000, NULL, NULL, 1769851800000);

INSERT INTO registered_delivery.duplicate_keys VALUES ('000000000001:b7300e7502779de1829011502ad20389', 1772443800000);
INSERT INTO registered_delivery.duplicate_keys VALUES ('000000000002:1d32272d6cbd5871e1a6085971fe3d9d', 1772443800000);
INSERT INTO registered_delivery.duplicate_keys VALUES ('000000000003:20afaa4ad55f3651f292f3ebf20e23e3', 1772443800000);
INSERT INTO registered_delivery.duplicate_keys VALUES (':92283077526d21b5ffe21295d11ef368', 1769852400000);

INSERT INTO registered_delivery.events OVERRIDING SYSTEM VALUE VALUES (1, 'evt_01a204d1-5e12-7762-8738-4151b77dcc8f', 'tracked_mail.sent', '000000000001', 1769851800000, '{"id":"evt_01a204d1-5e12-7762-8738-4151b77dcc8f","type":"tracked_mail.sent","status":"SENT","terminal":false,"reversible":false,"sourceType":"aes_sent","messageId":"000000000001","messageType":"AES","occurredAt":null,"fileReference":"F1","customerReference":null,"raw":{"id":"post-1","event":"aes_sent","messageId":1,"fileReference":"F1","text":"letter 1"},"receivedAt":"2026-01-31T09:30:00.000Z"}');
INSERT INTO registered_delivery.events OVERRIDING SYSTEM VALUE VALUES (2, 'evt_01a204d1-5e12-767b-9d1f-b7ca4cb2e53a', 'tracked_mail.sent', '000000000002', 1769851800000, '{"id":"evt_01a204d1-5e12-767b-9d1f-b7ca4cb2e53a","type":"tracked_mail.sent","status":"SENT","terminal":false,"reversible":false,"sourceType":"aes_sent","messageId":"000000000002","messageType":"AES","occurredAt":null,"fileReference":"F1","customerReference":null,"raw":{"id":"post-2","event":"aes_sent","messageId":2,"fileReference":"F1","text":"letter 2"},"receivedAt":"2026-01-31T09:30:00.000Z"}');
INSERT INTO registered_delivery.events OVERRIDING SYSTEM VALUE VALUES (3, 'evt_01a204d1-5e12-7211-bbf3-27f8e88ced0b', 'tracked_mail.sent', '000000000003', 1769851800000, '{"id":"evt_01a204d1-5e12-7211-bbf3-27f8e88ced0b","type":"tracked_mail.sent","status":"SENT","terminal":false,"reversible":false,"sourceType":"aes_sent","messageId":"000000000003","messageType":"AES","occurredAt":null,"fileReference":"F1","customerReference":null,"raw":{"id":"post-3","event":"aes_sent","messageId":3,"fileReference":"F1","text":"letter 3"},"receivedAt":"2026-01-31T09:30:00.000Z"}');
INSERT INTO registered_delivery.events OVERRIDING SYSTEM VALUE VALUES (4, 'evt_01a204d1-5e2d-7461-8f6b-edf234f267d4', 'unknown', NULL, 1769851800000, '{"id":"evt_01a204d1-5e2d-7461-8f6b-edf234f267d4","type":"unknown","status":null,"terminal":false,"reversible":false,"sourceType":"something else","messageId":null,"messageType":null,"occurredAt":null,"fileReference":null,"customerReference":null,"raw":{"event":"something else"},"receivedAt":"2026-01-31T09:30:00.000Z"}');

INSERT INTO registered_delivery.heartbeat VALUES (0);

INSERT INTO registered_delivery.key_claims OVERRIDING SYSTEM VALUE VALUES (1, 'key-1', 'sent', 'holder-of-a-claim-0001', 'invoice 1', '{"messageIds":["000000000001"]}', NULL, NULL, 1769851800000);

INSERT INTO registered_delivery.version VALUES (1);

INSERT INTO registered_delivery.wait_messages VALUES ('wait-0000-0000-0001', 0, '000000000004', 'LRE', NULL, false, true);

INSERT INTO registered_delivery.waits VALUES ('wait-0000-0000-0001', 'n8n', 'http://127.0.0.1:5678/webhook-waiting/7?signature=signature-of-n8n', 'secret-of-this-wait-alone-0123456789', 'opened', 1769855400000, 'open', NULL, 1769851800000, NULL, 0, NULL, 1769851800000, 1769851800000);

INSERT INTO registered_delivery.watch_pace VALUES (0, NULL, NULL);

INSERT INTO registered_delivery.watches OVERRIDING SYSTEM VALUE VALUES (1, '000000000004', '{"messageId":"000000000004","messageType":"LRE","fileReference":null,"customerReference":"C1","status":null,"either":null,"changedAt":null,"createdAt":1769851800000,"polledAt":null,"polledStatus":null,"otherPolledAt":null,"failures":0,"notFound":null,"problem":null,"endReason":null,"changes":[]}', 0, 1769851860000, NULL);

SELECT pg_catalog.setval('registered_delivery.batches_number_seq', 3, true);

SELECT pg_catalog.setval('registered_delivery.events_sequence_seq', 4, true);

SELECT pg_catalog.setval('registered_delivery.key_claims_id_seq', 2, true);

SELECT pg_catalog.setval('registered_delivery.watches_id_seq', 1, true);

ALTER TABLE ONLY registered_delivery.batches
    ADD CONSTRAINT batches_id_key UNIQUE (id);

ALTER TABLE ONLY registered_delivery.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (number);

ALTER TABLE ONLY registered_delivery.consumers
    ADD CONSTRAINT consumers_pkey PRIMARY KEY (key);

ALTER TABLE ONLY registered_delivery.duplicate_keys
    ADD CONSTRAINT duplicate_keys_pkey PRIMARY KEY (key);

ALTER TABLE ONLY registered_delivery.events
    ADD CONSTRAINT events_id_key UNIQUE (id);

ALTER TABLE ONLY registered_delivery.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (sequence);

ALTER TABLE ONLY registered_delivery.key_claims
    ADD CONSTRAINT key_claims_key_key UNIQUE (key);

ALTER TABLE ONLY registered_delivery.key_claims
    ADD CONSTRAINT key_claims_pkey PRIMARY KEY (id);

ALTER TABLE ONLY registered_delivery.wait_messages
    ADD CONSTRAINT wait_messages_pkey PRIMARY KEY (wait_id, "position");

ALTER TABLE ONLY registered_delivery.waits
    ADD CONSTRAINT waits_pkey PRIMARY KEY (id);

ALTER TABLE ONLY registered_delivery.watches
    ADD CONSTRAINT watches_message_id_key UNIQUE (message_id);

ALTER TABLE ONLY registered_delivery.watches
    ADD CONSTRAINT watches_pkey PRIMARY KEY (id);

CREATE INDEX batches_dead ON registered_delivery.batches USING btree (consumer, number) WHERE (state = 'dead'::text);

CREATE INDEX batches_open ON registered_delivery.batches USING btree (consumer, number) WHERE (state = ANY (ARRAY['queued'::text, 'in-hand'::text]));

CREATE INDEX batches_settled ON registered_delivery.batches USING btree (updated_at, state) WHERE (state = ANY (ARRAY['done'::text, 'dead'::text]));

CREATE INDEX duplicate_keys_by_age ON registered_delivery.duplicate_keys USING btree (expires_at);

CREATE INDEX events_by_age ON registered_delivery.events USING btree (received_at);

CREATE INDEX events_by_message ON registered_delivery.events USING btree (message_id, type) WHERE (message_id IS NOT NULL);

CREATE INDEX key_claims_by_name ON registered_delivery.key_claims USING btree (name) WHERE (name IS NOT NULL);

CREATE INDEX key_claims_not_sent ON registered_delivery.key_claims USING btree (id) WHERE (state <> 'sent'::text);

CREATE INDEX wait_messages_by_message ON registered_delivery.wait_messages USING btree (message_id, wait_id);

CREATE INDEX waits_ended ON registered_delivery.waits USING btree (updated_at) WHERE (state = ANY (ARRAY['resumed'::text, 'over'::text, 'given-up'::text]));

CREATE INDEX waits_open ON registered_delivery.waits USING btree (due_at) WHERE (state = 'open'::text);

CREATE INDEX waits_ready ON registered_delivery.waits USING btree (instance, due_at) WHERE (state = 'ready'::text);

CREATE INDEX waits_to_give_up ON registered_delivery.waits USING btree (gives_up_at) WHERE (state = 'ready'::text);

CREATE INDEX waits_under_way ON registered_delivery.waits USING btree (instance) WHERE (state = ANY (ARRAY['open'::text, 'ready'::text]));

CREATE INDEX watches_due ON registered_delivery.watches USING btree (next_poll_at) WHERE (next_poll_at IS NOT NULL);

CREATE INDEX watches_ended ON registered_delivery.watches USING btree (ended_at) WHERE (ended_at IS NOT NULL);
