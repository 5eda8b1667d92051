// Reads the four ledgers.
import type { Letter as BookedLetter } from '../../webhook-receiver/src/core/letter-contract.ts';
import type { Follower, Ledgers, LetterRecord, ServedLetter } from './verdict.ts';
import type { Letter } from './story.ts';
import { DEADLINE_MINUTES, type World } from './world.ts';

/**
 * Letters that the receiver was made to forget, by id: also those of erased people that had no id when they
 * were erased, and of which it has heard nothing since.
 */
export async function erasedOf(world: World): Promise<Set<string>> {
	const erased = new Set(world.erased);
	for (const { id, person } of await world.served()) {
		if (erased.has(id) || !world.erasedPeople.has(person ?? '')) continue;
		const { erasedUntil, changes } = await recordOf(world, id);
		if (erasedUntil !== null || changes.length === 0) erased.add(id);
	}
	return erased;
}

const recordOf = (world: World, id: string) =>
	world.receiver.call<LetterRecord & { erasedUntil: string | null }>('GET', `/letters/${id}`);

export async function readLedgers(world: World, letters: readonly Letter[]): Promise<Ledgers> {
	const letterLedger = await world.served();
	return {
		letters,
		deadline: DEADLINE_MINUTES * 60_000,
		jumps: world.jumps,
		acceptedBodies: world.acceptedBodies,
		erased: await erasedOf(world),
		erasedPeople: world.erasedPeople,
		limits: world.limits,
		handedOutAgain: world.handedOutAgain,
		served: letterLedger,
		records: await records(world, letterLedger),
		book: await world.receiver.all<BookedLetter>('/letters'),
		summary: await world.receiver.call('GET', '/letters/summary'),
		store: await world.store(),
		events: await world.receiver.events(),
		mailings: await world.mailings(),
		followers: await followers(world),
		traces: await world.traces(),
		secrets: [...world.secrets],
	};
}

/** What the receiver says of each letter. */
async function records(
	world: World,
	letters: readonly ServedLetter[],
): Promise<Map<string, LetterRecord>> {
	const all = new Map<string, LetterRecord>();
	for (const { id } of letters) all.set(id, await recordOf(world, id));
	return all;
}

async function followers(world: World): Promise<Map<string, Follower>> {
	const all = new Map<string, Follower>();
	for (const [name, { workflow, isFromTheStart }] of world.followers)
		all.set(name, { isFromTheStart, executions: await world.executions(workflow) });
	return all;
}
