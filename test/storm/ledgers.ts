// Reads the four ledgers.
import type { Follower, Ledgers, LetterRecord, ServedLetter } from './verdict.ts';
import type { Letter } from './story.ts';
import { DEADLINE_MINUTES, type World } from './world.ts';

/** The sandbox's letters with their history. */
export async function served({ stack }: World): Promise<ServedLetter[]> {
	const answer = await fetch(`${stack.sandbox.pageUrl}/_sandbox/state`);
	const { messages } = (await answer.json()) as {
		messages: Array<Omit<ServedLetter, 'statuses'> & { history: Array<{ status: string }> }>;
	};
	return messages.map(({ id, type, fileReference, history }) => ({
		id,
		type,
		fileReference,
		statuses: history.map(({ status }) => status),
	}));
}

export async function readLedgers(world: World, letters: readonly Letter[]): Promise<Ledgers> {
	const letterLedger = await served(world);
	return {
		letters,
		deadline: DEADLINE_MINUTES * 60_000,
		jumps: world.jumps,
		acceptedBodies: world.acceptedBodies,
		erased: world.erased,
		handedOutAgain: world.handedOutAgain,
		served: letterLedger,
		records: await records(world, letterLedger),
		events: await world.receiver.events(),
		mailings: await world.mailings(),
		followers: await followers(world),
		traces: await world.traces(),
		secrets: [...world.secrets],
	};
}

/** What the receiver says of each letter. */
async function records(
	{ receiver }: World,
	letters: readonly ServedLetter[],
): Promise<Map<string, LetterRecord>> {
	const all = new Map<string, LetterRecord>();
	for (const { id } of letters) all.set(id, await receiver.call('GET', `/letters/${id}`));
	return all;
}

async function followers(world: World): Promise<Map<string, Follower>> {
	const all = new Map<string, Follower>();
	for (const [name, { workflow, isFromTheStart }] of world.followers)
		all.set(name, { isFromTheStart, executions: await world.executions(workflow) });
	return all;
}
