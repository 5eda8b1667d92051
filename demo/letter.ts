import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution, StoredWorkflow } from '../test/n8n/api.ts';
import type { Stack } from '../test/n8n/stack.ts';

const EXPECTED = ['tracked_mail.sent', 'tracked_mail.received', 'tracked_mail.opened'];
const PATIENCE = 60_000;

/**
 * Sends a letter with one workflow and waits until each of its events has started the other.
 *
 * @param examples the workflows by their files
 * @returns whether every step happened
 */
export async function sendLetterAndFollow(
	stack: Stack,
	examples: Map<string, StoredWorkflow>,
	print: (line: string) => void,
): Promise<boolean> {
	const { api } = stack;
	const example = (file: string) => examples.get(file) as StoredWorkflow;
	const follow = example('follow-letters.json');
	if (follow.active) await stack.deactivate(follow);
	await stack.activate(follow);
	print(`✓ workflow "${follow.name}" is published and pulls from the receiver`);

	const seen = new Set(await api.executionIds(follow.id));
	const send = example('send-tracked-mail.json');
	const sent = await api.run(send);
	const letter = sent.output['Send Letter']?.[0]?.json;
	if (sent.status !== 'success' || !letter) {
		print(`✗ workflow "${send.name}" failed: ${sent.error?.message ?? sent.status}`);
		return false;
	}
	print(`✓ workflow "${send.name}" sent letter ${letter.messageId} (${letter.type})`);
	print(`✓ its status right after: ${sent.output['Get Status']?.[0]?.json.status}`);

	const missing = new Set(EXPECTED);
	const deadline = Date.now() + PATIENCE;
	while (missing.size > 0 && Date.now() < deadline) {
		for (const id of await api.executionIds(follow.id)) {
			if (seen.has(id)) continue;
			seen.add(id);
			const execution = await api.finished(id);
			for (const { json } of triggerItems(execution)) {
				if (json.messageId !== letter.messageId) continue;
				print(`✓ event ${String(json.type).padEnd(22)} started "${follow.name}" (execution ${id})`);
				missing.delete(String(json.type));
			}
		}
		await sleep(200);
	}
	for (const type of missing) print(`✗ event ${type} did not come within ${PATIENCE / 1000} s`);
	return missing.size === 0;
}

function triggerItems(execution: Execution) {
	return execution.output['Registered Delivery Trigger'] ?? [];
}
