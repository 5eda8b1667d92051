import { groupLetters, type SendBatch } from './groupLetters';
import type { KeyedLetter } from './mailing';

/** What a mailing is going to do: the same for sending it and for checking it. */
export interface MailingPlan {
	/** One request each. */
	batches: Array<SendBatch<KeyedLetter>>;
	/** Letters that do not go out, each with the one of the same key that does. */
	followers: Array<[KeyedLetter, KeyedLetter]>;
}

/** @param maxRecipients null sends each item by itself */
export function planMailing(letters: KeyedLetter[], maxRecipients: number | null): MailingPlan {
	const { leaders, followers } = byKey(letters);
	return { batches: groupLetters(leaders, maxRecipients), followers };
}

/** Of several items with the same key, the first one's letter goes out and the others share it. */
function byKey(letters: KeyedLetter[]) {
	const first = new Map<string, KeyedLetter>();
	const leaders: KeyedLetter[] = [];
	const followers: Array<[KeyedLetter, KeyedLetter]> = [];
	for (const letter of letters) {
		const { sendOnceKey } = letter;
		const leader = sendOnceKey === null ? undefined : first.get(sendOnceKey);
		if (leader) {
			followers.push([letter, leader]);
			continue;
		}
		leaders.push(letter);
		if (sendOnceKey !== null) first.set(sendOnceKey, letter);
	}
	return { leaders, followers };
}
