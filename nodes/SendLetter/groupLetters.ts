import { contentKey, type Letter } from './letter';

/** A letter with the input item it belongs to. */
export interface ItemLetter {
	itemIndex: number;
	letter: Letter;
}

/** One request: a letter to the recipients of one or several items. */
export interface SendBatch<Item extends ItemLetter = ItemLetter> {
	letter: Letter;
	items: Item[];
}

/**
 * Makes as few requests of the letters as sensible: those that share everything but their recipients
 * go together, up to `maxRecipients` a request; an item's own recipients stay together.
 *
 * @param maxRecipients null sends each item by itself
 */
export function groupLetters<Item extends ItemLetter>(
	letters: Item[],
	maxRecipients: number | null,
): Array<SendBatch<Item>> {
	if (maxRecipients === null) return letters.map((one) => ({ letter: one.letter, items: [one] }));
	const batches: Array<SendBatch<Item>> = [];
	const open = new Map<string, SendBatch<Item>>();
	for (const one of letters) {
		const key = contentKey(one.letter);
		const batch = open.get(key);
		const { recipients } = one.letter;
		if (batch && batch.letter.recipients.length + recipients.length <= maxRecipients) {
			batch.letter.recipients.push(...recipients);
			batch.items.push(one);
			continue;
		}
		const next = { letter: { ...one.letter, recipients: [...recipients] }, items: [one] };
		batches.push(next);
		open.set(key, next);
	}
	return batches;
}
