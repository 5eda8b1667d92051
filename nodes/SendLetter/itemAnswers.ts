import type { IDataObject } from 'n8n-workflow';

import type { ItemLetter } from './groupLetters';

/**
 * Splits the answer to a request among its items, each message with its recipient's address. The
 * interface does not show the order of `messages`; it is taken for that of the recipients when the
 * counts agree (design, section 9). Otherwise every item gets all of them, none with an address.
 */
export function itemAnswers<Item extends ItemLetter>(
	answer: IDataObject,
	items: Item[],
): Array<[Item, IDataObject]> {
	const messages = Array.isArray(answer.messages) ? (answer.messages as IDataObject[]) : [];
	const recipients = items.flatMap(({ letter }) => letter.recipients);
	if (messages.length !== recipients.length) {
		return items.map((item) => [item, itemAnswer(answer, messages)]);
	}
	let next = 0;
	return items.map((item) => {
		const own = item.letter.recipients.map(({ email }) => ({ ...messages[next++], email }));
		return [item, itemAnswer(answer, own)];
	});
}

function itemAnswer(answer: IDataObject, messages: IDataObject[]): IDataObject {
	return { ...(messages.length === 1 && { messageId: messages[0].id }), ...answer, messages };
}
