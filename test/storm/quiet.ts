// Waits until nothing is under way any more. That is a fact of the ledgers, not a time: how long it
// may take is limited, and what is still under way then is told.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../n8n/poll.ts';
import { served } from './ledgers.ts';
import type { Letter } from './story.ts';
import { changesToTell } from './verdict.ts';
import { NODES } from './workflows.ts';
import { DEADLINE_MINUTES, type World } from './world.ts';

/** Seconds. The sandbox repeats a webhook for two and a half minutes. */
const PATIENCE = 240;
/** What a busy n8n is slow to wake. */
const GRACE = 180;

/** @returns what was still under way when patience ended; empty if all is quiet */
export async function untilQuiet(world: World, letters: readonly Letter[]): Promise<string[]> {
	const unfinished: string[] = [];
	const longest = DEADLINE_MINUTES * 60 + GRACE;
	const note = (error: Error) => void unfinished.push(error.message);
	const wait = async (what: string, look: () => Promise<boolean>, patience = PATIENCE) => {
		await until(what, look, patience).catch(note);
	};
	const none = async (...statuses: string[]) =>
		!(await world.executions(world.mailing)).some(({ status }) => statuses.includes(status));
	await wait('no mailing to be sending', () => none('running'));
	// Unless n8n lost it.
	await until('no mailing to be new', () => none('new'), 30).catch(() => undefined);
	// As whoever finds an execution killed, stopped or failed does: once more with the same keys.
	const left = await unfinishedOf(world, letters);
	if (left.length > 0) await world.send(left);
	await wait(
		'an execution for each letter that did not fail',
		async () => (await unfinishedOf(world, letters)).length === 0,
		longest,
	);
	await wait('all to have happened to the letters', async () => {
		return (await served(world)).every(({ fileReference, statuses }) => {
			const letter = letters.find(({ key }) => key === fileReference);
			return !letter || statuses.includes(lastOf(letter));
		});
	});
	await wait('the receiver to know of all changes', async () => {
		const told = new Set(
			(await world.receiver.events()).map(({ messageId, type }) => `${messageId} ${type}`),
		);
		const ledgers = {
			served: await served(world),
			mailings: await world.executions(world.mailing),
			erased: world.erased,
		};
		return changesToTell(ledgers).every((name) => told.has(name));
	});
	await wait('all executions to have ended', () => none('running', 'waiting'), longest);
	await world.receiver.untilDrained(undefined, PATIENCE).catch(note);
	await wait('no execution to be added', async () => {
		const before = await countOf(world);
		await sleep(2_000);
		return (await countOf(world)) === before;
	});
	return unfinished;
}

/** Letters that are in no execution which has ended well or may still do so. */
async function unfinishedOf(world: World, letters: readonly Letter[]): Promise<Letter[]> {
	const well = new Set(
		(await world.executions(world.mailing))
			.filter(({ status }) => status === 'success' || status === 'waiting')
			.flatMap(({ outputs }) => outputs[NODES.letters]?.[0] ?? [])
			.map(({ json }) => json.key),
	);
	return letters.filter(({ key }) => !well.has(key));
}

async function countOf(world: World): Promise<number> {
	const all = [world.mailing, ...[...world.followers.values()].map(({ workflow }) => workflow)];
	const executions = await Promise.all(all.map((workflow) => world.executions(workflow)));
	return executions.flat().length;
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
