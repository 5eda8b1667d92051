// What the docs say of an n8n that has started without the pack: with the pack back it opens no workflow of before
// again, and says so; with a receiver, whoever sleeps wakes once any workflow that waits is published, without one
// once its own is. And that a pack from the command line stands nowhere in the editor's list of community nodes.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { asleep, brief, emit, letters, publishAwaiting, woken } from './awaiting.ts';
import { files, stack, useStack } from './use-stack.ts';

jest.setTimeout(400_000);

useStack();

it('an execution that sleeps while the pack is removed wakes once it is installed again', async () => {
	expect(await stack.api.communityPackages()).toEqual([]);
	const [a] = letters('a');
	const slept = await publishAwaiting(stack, 'Removed');
	const [id] = await slept.fallAsleep(files.offer([a]));
	const { waitId } = await asleep(stack, id);
	const installed = join(stack.n8n.userFolder, '.n8n', 'nodes');
	const aside = `${installed}-aside`;

	await stack.n8n.stop();
	await rename(installed, aside);
	await stack.startN8n();
	await emit(stack, 'opened', a.messageId);
	// Longer than a wake-up takes where the pack is there.
	await new Promise((resolve) => setTimeout(resolve, 10_000));
	expect((await stack.api.execution(id)).status).toBe('waiting');

	await stack.n8n.stop();
	// n8n has made an empty one.
	await rm(installed, { recursive: true, force: true });
	await rename(aside, installed);
	await stack.startN8n();
	// n8n has it down as published, and opens none of its triggers again by itself.
	expect(await stack.api.workflow(slept.workflow.id)).toMatchObject({ active: true });
	expect(await stack.api.problemOf(slept.workflow.id)).toMatch(/Unrecognized node type/);
	expect((await stack.api.execution(id)).status).toBe('waiting');
	// The receiver has wake-ups for the whole n8n, whichever of its workflows fetches them.
	await publishAwaiting(stack, 'Another');
	expect(brief(await woken(stack, id, waitId))).toEqual([['Opened', 'a', 'opened']]);
});
