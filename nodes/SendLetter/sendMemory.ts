import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { runMemory } from '../shared/runMemory';
import { letterKey } from './letter';
import type { ItemLetter } from './groupLetters';

/** What became of a letter that may have left: the answer, or that nobody knows. */
export type Sent = { answer: IDataObject } | { unknown: string };

/**
 * What was sent in this run of the node, by item and content, so that a retry answers from it instead
 * of sending again (design, section 5).
 */
export class SendMemory {
	private readonly entries: Record<string, Sent>;

	constructor(context: IExecuteFunctions) {
		this.entries = runMemory(context, 'sentLetters');
	}

	recall(item: ItemLetter): Sent | undefined {
		const sent = this.entries[this.key(item)];
		if (!sent || 'unknown' in sent) return sent;
		return { answer: { ...sent.answer, body: item.letter.fields.body } };
	}

	remember(item: ItemLetter, sent: Sent): void {
		this.entries[this.key(item)] = 'unknown' in sent ? sent : { answer: withoutBody(sent.answer) };
	}

	private key({ itemIndex, letter }: ItemLetter): string {
		return `${itemIndex}:${letterKey(letter)}`;
	}
}

// n8n stores the context with the execution; a thousand letters need not be kept there twice.
export function withoutBody(answer: IDataObject): IDataObject {
	const kept = { ...answer };
	delete kept.body;
	return kept;
}
