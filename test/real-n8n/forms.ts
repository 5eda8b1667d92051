import type { StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';

/**
 * Fills in the form of the workflow, once. n8n takes its pages and its answers one after the other: until
 * it takes answers it says 404, and has begun nothing.
 */
export async function fillIn(
	stack: Stack,
	workflow: StoredWorkflow,
	answers: ReadonlyArray<string | File>,
): Promise<void> {
	const form = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	const url = `${stack.n8n.url}/form/${String(form?.webhookId)}`;
	const body = new FormData();
	for (const [field, answer] of answers.entries()) body.append(`field-${field}`, answer);
	const answered = await until('the form to be taken', async () => {
		const { ok, status } = await fetch(url, { method: 'POST', body });
		return status !== 404 && { ok };
	});
	expect(answered).toEqual({ ok: true });
}
