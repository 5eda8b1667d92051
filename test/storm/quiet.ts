// Waits until nothing is under way any more. That is a fact of the ledgers, not a time: patience is
// for what makes no progress, and what is still under way then is told.
import { setTimeout as sleep } from 'node:timers/promises';
import { erasedOf } from './ledgers.ts';
import type { Letter } from './story.ts';
import { changesToTell, keyOfItem, saidBy, stillNamed } from './verdict.ts';
import { NODES } from './workflows.ts';
import type { World } from './world.ts';

/** Seconds without progress: the wait of a sleeper, and a busy n8n that is slow to wake it. */
const PATIENCE = 300;
/** Seconds for what n8n may have lost. */
const SHORT_PATIENCE = 30;
/** Letters in one execution, so that each ends in time to show progress, however busy the machine is. */
const PORTION = 100;
/** Each look reads whole ledgers. */
const PAUSE_MS = 1_000;

/** @returns what was still under way when patience ended; empty if all is quiet */
export async function untilQuiet(world: World, letters: readonly Letter[]): Promise<string[]> {
	const unfinished: string[] = [];
	const untilNone = async (what: string, left: () => Promise<number>) => {
		const count = await dwindles(left, PATIENCE);
		if (count > 0) unfinished.push(`${count} ${what}`);
	};
	const mailings = async (...statuses: string[]) =>
		(await world.mailings()).filter(({ status }) => statuses.includes(status)).length;
	// What is wrong no more is polled again in its own time, or when somebody says so.
	await world.receiver.call('POST', '/watches/retry');
	// As whoever finds letters that were not sent does: with the same keys, until all were.
	await untilNone('letters were not sent', async () => {
		await untilNone('mailings are still sending', () => mailings('running'));
		await dwindles(() => mailings('new'), SHORT_PATIENCE);
		await untilNone('letters are of unknown outcome', () => world.settleUnknown(true));
		const left = await unsentOf(world, letters);
		if (left.length > 0) await world.send(left.slice(0, PORTION));
		return left.length;
	});
	const lastByReference = new Map(letters.map((letter) => [letter.reference, lastOf(letter)]));
	await untilNone('letters have a change before them', async () => {
		const underWay = (await world.served()).filter(({ fileReference, statuses }) => {
			const last = lastByReference.get(fileReference ?? '');
			return last !== undefined && !statuses.includes(last);
		});
		return underWay.length;
	});
	await untilNone('changes are unknown to the receiver', async () => {
		const told = new Set(
			(await world.receiver.events()).map(({ messageId, type }) => `${messageId} ${type}`),
		);
		const ledgers = { served: await world.served(), erased: await erasedOf(world) };
		return changesToTell(ledgers).filter((name) => !told.has(name)).length;
	});
	await untilNone('dead batches are left that nobody was told of', () => world.handOutDead());
	await untilNone('mailings have not ended', () => mailings('running', 'waiting'));
	await untilNone('events are left for workflows that pull', async () => {
		// Without an oldest one, what is behind is nothing that the workflow wants.
		const behind = (await world.receiver.consumers()).filter(
			({ held, oldestAt }) => held && oldestAt !== null,
		);
		const again = await world.handOutDead();
		return behind.reduce((sum, one) => sum + one.behind + one.queued + one.inHand, again);
	});
	await untilNone('erased letters are still in the file', async () => {
		const ledgers = { served: await world.served(), erased: await erasedOf(world) };
		return stillNamed({ ...ledgers, store: await world.store() }).length;
	});
	await untilNone('executions were added while all was quiet', async () => {
		const before = await countOf(world);
		await sleep(2_000);
		return (await countOf(world)) - before;
	});
	return unfinished;
}

/** Waits while it gets less. @returns what is left when patience, in seconds, ends; 0 if nothing */
async function dwindles(left: () => Promise<number>, patience: number): Promise<number> {
	let fewest = Infinity;
	let progressAt = performance.now();
	for (;;) {
		const count = await left();
		if (count < fewest) [fewest, progressAt] = [count, performance.now()];
		if (count === 0 || performance.now() - progressAt > patience * 1000) return count;
		await sleep(PAUSE_MS);
	}
}

/** Letters that no execution which has ended well, or may still do so, has sent, but those of people who were erased. */
async function unsentOf(world: World, letters: readonly Letter[]): Promise<Letter[]> {
	const executions = (await world.mailings()).filter(
		({ status }) => status === 'success' || status === 'waiting',
	);
	const said = executions.flatMap((execution) => saidBy(execution, NODES.send, keyOfItem));
	const sent = new Set(
		said.flatMap(({ key, verdict }) => (['sent', 'used'].includes(verdict) ? [key] : [])),
	);
	const gone = (await world.served()).filter(({ id }) => world.erased.has(id));
	const references = new Set(gone.map(({ fileReference }) => fileReference));
	return letters.filter(
		({ key, person, reference }) =>
			!sent.has(key) && !references.has(reference) && !world.erasedPeople.has(person),
	);
}

async function countOf(world: World): Promise<number> {
	const following = [...world.followers.values()].map(({ workflow }) => workflow);
	return (await world.executions(...world.senders.values(), ...following)).length;
}

const LAST: Record<string, string> = {
	open: 'OPENED',
	fail: 'FAILED',
	bounce: 'UNDELIVERED',
	'bounce-then-receive': 'RECEIVED',
	accept: 'ACCEPTED',
	refuse: 'REFUSED',
};

const lastOf = ({ email }: Letter): string => LAST[email.split('+')[0]];
