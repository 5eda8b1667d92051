import type { ListedConsent } from '../core/outcome.ts';
import type { Db } from './engine.ts';

/** For each consent: itself and newer consents of its contact, oldest first. */
export async function answersTo(
	db: Db,
	consentIds: readonly string[],
): Promise<Map<string, ListedConsent[]>> {
	const rows = await db.rows<{
		id: string;
		state: string;
		changed_at: number | null;
		event_id: string | null;
	}>(
		`SELECT own.id AS id, answer.state, answer.changed_at, answer.event_id
		FROM list_entries AS own
		JOIN list_entries AS answer
			ON answer.contact = own.contact AND answer.list = own.list AND answer.number >= own.number
		WHERE own.list = 'consents' AND own.id = ANY($1) ORDER BY answer.number`,
		[consentIds],
	);
	const answers = new Map<string, ListedConsent[]>();
	for (const { id, state, changed_at: changedAt, event_id: eventId } of rows) {
		answers.set(id, [...(answers.get(id) ?? []), { state, changedAt, eventId }]);
	}
	return answers;
}
