import type { DatabaseSync } from 'node:sqlite';

/** Events that are looked at, beyond a consumer's position, for one of a type that it wants. */
const NEAR = 100;

/**
 * As the index says it, which is used for what says it likewise. Where SQLite would rather walk all
 * that was ever settled, an index is named.
 */
const IS_OPEN = `state IN ('queued', 'in-hand')`;

/** The statements of consumers and batches, prepared once. */
export function prepareStatements(database: DatabaseSync) {
	const sql = (text: string) => database.prepare(text);
	return {
		consumer: sql('SELECT * FROM consumers WHERE key = ?'),
		consumers: sql('SELECT * FROM consumers ORDER BY key'),
		put: sql(`
			INSERT OR REPLACE INTO consumers (key, name, wants, holder, held_until, held_since, position,
				start_anew, pulled_at, away_since, rival_at, created_at)
			VALUES (:key, :name, :wants, :holder, :held_until, :held_since, :position,
				:start_anew, :pulled_at, :away_since, :rival_at, :created_at)
		`),
		remove: sql('DELETE FROM consumers WHERE key = ?'),

		batch: sql('SELECT * FROM batches WHERE id = ?'),
		open: sql(`SELECT * FROM batches WHERE consumer = ? AND ${IS_OPEN} ORDER BY number LIMIT ?`),
		insert: sql(`
			INSERT INTO batches (id, consumer, sequences, messages, size, state, attempts, failures,
				holder, due_at, reason, created_at, updated_at)
			VALUES (:id, :consumer, :sequences, :messages, :size, :state, :attempts, :failures,
				:holder, :due_at, :reason, :created_at, :updated_at)
		`),
		update: sql(`
			UPDATE batches SET state = :state, attempts = :attempts, failures = :failures,
				holder = :holder, due_at = :due_at, reason = :reason, updated_at = :updated_at
			WHERE id = :id
		`),
		removeBatch: sql('DELETE FROM batches WHERE number = ?'),
		removeOpen: sql(`DELETE FROM batches WHERE consumer = ? AND ${IS_OPEN}`),
		removeDead: sql(`DELETE FROM batches WHERE consumer = ? AND state = 'dead'`),
		leaveOut: sql(`
			UPDATE batches SET state = 'done', reason = :reason, updated_at = :now
			WHERE consumer = :key AND ${IS_OPEN} AND attempts = 0
		`),
		dueAtOnce: sql(`
			UPDATE batches SET due_at = :now, updated_at = :now
			WHERE consumer = :key AND ${IS_OPEN} AND state = 'in-hand' AND holder = :holder
		`),

		// What the page shows
		counts: sql(`
			SELECT consumer, state, count(*) AS count FROM batches WHERE ${IS_OPEN}
			GROUP BY consumer, state
			UNION ALL
			SELECT consumer, 'dead', count(*) FROM batches WHERE state = 'dead' GROUP BY consumer
		`),
		oldest: sql(`
			SELECT min(at) AS at FROM (
				SELECT received_at AS at FROM events WHERE sequence = (
					SELECT min(sequences ->> 0) FROM batches WHERE consumer = :key AND ${IS_OPEN}
				)
				UNION ALL
				SELECT * FROM (
					SELECT received_at FROM (
						SELECT type, received_at FROM events WHERE sequence > :position
						ORDER BY sequence LIMIT ${NEAR}
					) WHERE type IN (SELECT value FROM json_each(:types))
						OR '*' IN (SELECT value FROM json_each(:types))
					LIMIT 1
				)
				UNION ALL
				-- Whether one of the others is wanted is not looked at.
				SELECT * FROM (
					SELECT received_at FROM events WHERE sequence > :position
					ORDER BY sequence LIMIT 1 OFFSET ${NEAR}
				)
			)
		`),
		page: sql('SELECT * FROM batches WHERE number < :before ORDER BY number DESC LIMIT :limit'),
		pageOfOpen: sql(`
			SELECT * FROM batches INDEXED BY batches_open
			WHERE ${IS_OPEN} AND state = :state AND number < :before ORDER BY number DESC LIMIT :limit
		`),
		pageOfDead: sql(`
			SELECT * FROM batches WHERE number IN (
				SELECT number FROM batches INDEXED BY batches_dead
				WHERE state = 'dead' AND number < :before ORDER BY number DESC LIMIT :limit
			) ORDER BY number DESC
		`),
		pageOfDone: sql(`
			SELECT * FROM batches WHERE state = 'done' AND number < :before
			ORDER BY number DESC LIMIT :limit
		`),

		// Retries
		lastNumber: sql('SELECT coalesce(max(number), 0) AS last FROM batches'),
		consumersWithDead: sql(`SELECT DISTINCT consumer FROM batches WHERE state = 'dead'`),
		dead: sql(`
			SELECT * FROM batches
			WHERE consumer = :consumer AND state = 'dead' AND number > :after AND number <= :last
				AND (:from IS NULL OR created_at >= :from) AND (:before IS NULL OR created_at < :before)
			ORDER BY number LIMIT :limit
		`),

		clean: sql(`
			DELETE FROM batches WHERE number IN (
				SELECT number FROM batches
				WHERE state IN ('done', 'dead') AND updated_at < ? LIMIT ?
			)
		`),
	};
}
