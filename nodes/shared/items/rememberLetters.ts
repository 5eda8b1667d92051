import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

/** The name under which n8n's list of executions can be filtered. */
const KEY = 'messageId';

/** Longest value that n8n 2.41 keeps without complaint. */
const LONGEST = 255;

/**
 * Puts message IDs into the execution's custom data, so that n8n's list of executions finds the one that
 * sent a letter or waits for it. Never throws: by then letters may have left, and an n8n without custom
 * data only lacks the filter.
 */
export function rememberLetters(
	context: Pick<IExecuteFunctions, 'customData'>,
	ids: readonly string[],
): void {
	try {
		const known = context.customData.get(KEY) ?? '';
		const value = withIds(known, ids);
		if (value !== known) context.customData.set(KEY, value);
	} catch {
		// Not available here.
	}
}

/** Message IDs in the outputs of letters that were sent; consents and customers have none. */
export function messageIdsOf(outputs: readonly IDataObject[]): string[] {
	return outputs
		.flatMap(({ messageId, messages }) =>
			Array.isArray(messages)
				? messages.map((message) => (message as IDataObject | null)?.id)
				: [messageId],
		)
		.filter((id) => typeof id === 'string');
}

/**
 * The list with IDs added, each once, as many as n8n keeps: nineteen. A larger mailing is found by its first
 * ones.
 */
function withIds(known: string, ids: readonly string[]): string {
	const all = new Set([...known.split(' ').filter(Boolean), ...ids]);
	let value = '';
	for (const id of all) {
		const longer = value === '' ? id : `${value} ${id}`;
		if (longer.length > LONGEST) break;
		value = longer;
	}
	return value;
}
