// A workflow of another n8n, as the receiver sees it, that can't be started.
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';

export const ELSEWHERE = {
	name: 'Invoices',
	node: 'Trigger',
	url: 'https://n8n.example/workflow/7',
};

/** Its pull. @returns the batches that it gets */
export async function pullElsewhere(
	{ receiverApi }: Stack,
	event: string,
	more: object = {},
): Promise<Array<{ id: string }>> {
	const { batches } = await receiverApi.call<{ batches: Array<{ id: string }> }>(
		'POST',
		'/consumers/elsewhere~flow/pull',
		{ ...ELSEWHERE, holder: 'an-n8n-elsewhere', openMs: 0, wants: { events: [event] }, ...more },
	);
	return batches;
}

/** It refuses for good what happens meanwhile. */
export async function refuseBatch(
	stack: Stack,
	event: string,
	reason: string,
	happens: () => Promise<void>,
): Promise<void> {
	await pullElsewhere(stack, event);
	await happens();
	const [batch] = await until('its batch', async () => {
		const batches = await pullElsewhere(stack, event);
		return batches.length > 0 && batches;
	});
	const settle = [{ batch: batch.id, outcome: 'term', reason }];
	await pullElsewhere(stack, event, { atOnce: 0, settle });
}
