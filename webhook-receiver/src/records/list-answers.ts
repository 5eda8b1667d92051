import type { ListedConsent } from '../core/outcome.ts';
import type { Db } from '../store/engine.ts';

/** For each consent: itself and newer consents of its contact, oldest first. */
export async function answersTo(
	db: Db,
	consentIds: readonly string[],
): Promise<Map<string, ListedConsent[]>> {
	const answers = await db.rows<ListedConsent & { id: string }>(
		`SELECT own.id AS id, answer.state AS state, answer.changed_at AS "changedAt",
			answer.event_id AS "eventId"
		FROM list_entries AS own
		JOIN list_entries AS answer
			ON answer.contact = own.contact AND answer.list = own.list AND answer.number >= own.number
		WHERE own.list = 'consents' AND own.id = ANY($1) ORDER BY answer.number`,
		[consentIds],
	);
	return Map.groupBy(answers, ({ id }) => id);
}
