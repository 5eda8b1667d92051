import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

/**
 * Output items for the entries of an answer, each paired with the input item of the entry that was
 * sent. Their order is taken for that of the request as long as the counts agree; otherwise each could
 * be anyone's, and is paired with all of them. An answer without entries is passed on as it is: the
 * request was carried out, and no item may get lost.
 *
 * @param entries where the answer should have its list
 * @param owners input items of what was sent, in its order
 */
export function pairedOutput(
	answer: unknown,
	entries: unknown,
	owners: number[],
): INodeExecutionData[] {
	const everyone = [...new Set(owners)].map((item) => ({ item }));
	if (!Array.isArray(entries) || entries.length === 0) {
		return [{ json: { answer: answer as IDataObject }, pairedItem: everyone }];
	}
	const isKnown = entries.length === owners.length;
	return (entries as IDataObject[]).map((json, index) => ({
		json,
		pairedItem: isKnown ? { item: owners[index] } : everyone,
	}));
}
