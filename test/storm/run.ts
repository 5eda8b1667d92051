// One storm: a world, a story told to it, quiet, and the verdict.
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS } from './faults.ts';
import { readLedgers } from './ledgers.ts';
import { untilQuiet } from './quiet.ts';
import type { Chapter, Layer } from './story.ts';
import { findings, type Findings, type Ledgers } from './verdict.ts';
import { NODES, shapeOf } from './workflows.ts';
import { World, type Kind } from './world.ts';

// On a busy machine a connection that is used again may just have been closed at its other end.
const { fetch } = globalThis;
globalThis.fetch = async (address, options) => {
	const headers = new Headers(options?.headers);
	headers.set('connection', 'close');
	return await fetch(address, { ...options, headers });
};

export interface StormOptions {
	kind: Kind;
	/** Of the workflows; the story has its own. */
	seed: number;
	chapters: readonly Chapter[];
	/** No chapter begins later, in milliseconds from the first; by default all are told. */
	limit?: number;
	onStep: (step: string) => void;
}

export interface StormResult {
	/** What was told of the story. */
	told: Chapter[];
	findings: Findings;
	/** For people: how much was compared. */
	figures: string;
	/** Where ledgers and logs were left; null if nothing was found. */
	kept: string | null;
}

/** What stands below others ends first, so that they find it when they come back. */
const ENDING: readonly Layer[] = ['service', 'connection', 'process', 'editor'];

export async function storm(options: StormOptions): Promise<StormResult> {
	const { kind, seed, chapters, limit, onStep } = options;
	const world = await World.start(kind, shapeOf(seed), onStep);
	try {
		const told: Chapter[] = [];
		const end = Date.now() + (limit ?? Infinity);
		for (const chapter of chapters) {
			if (Date.now() >= end) break;
			const blows = chapter.blows.map(({ fault }) => fault).join(', ');
			onStep(`${told.length + 1}. ${chapter.letters.length} letters: ${blows}`);
			told.push(chapter);
			await tellTo(world, chapter);
		}
		onStep('Waiting until all is quiet');
		await world.heal();
		const letters = told.flatMap(({ letters: wave }) => wave);
		const unfinished = await untilQuiet(world, letters);
		onStep('Comparing the ledgers');
		const ledgers = await readLedgers(world, letters);
		const found = findings(ledgers);
		if (unfinished.length > 0) found['not quiet'] = unfinished;
		const isKept = Object.keys(found).length === 0;
		const kept = isKept ? null : await keep(world, ledgers);
		return {
			told,
			findings: found,
			figures:
				`${figuresOf(ledgers)}, ${world.startedAnew} wake-ups started anew, ` +
				`${world.settled} letters settled`,
			kept,
		};
	} finally {
		await world.close();
	}
}

async function tellTo(world: World, { letters, after, away, blows }: Chapter): Promise<void> {
	await world.send(letters);
	await sleep(after);
	for (const { fault, by } of blows) await FAULTS[fault].begin(world, by);
	await sleep(away);
	const ending = blows.toSorted((a, b) => ENDING.indexOf(a.layer) - ENDING.indexOf(b.layer));
	for (const { fault } of ending) await FAULTS[fault].end?.(world);
}

/** For who has to find out why; without what secrets may be in. */
async function keep(world: World, ledgers: Ledgers) {
	const folder = await mkdtemp(join(tmpdir(), 'storm-'));
	const kept = { ...ledgers, traces: undefined, store: undefined, secrets: undefined };
	const listed = (_: string, value: unknown) =>
		value instanceof Set || value instanceof Map ? [...(value as Iterable<unknown>)] : value;
	await writeFile(join(folder, 'ledgers.json'), JSON.stringify(kept, listed, '\t'));
	// What became of those who sleep, and of what n8n did not take.
	for (const name of ['waits', 'batches'])
		await writeFile(
			join(folder, `${name}.json`),
			JSON.stringify(await world.receiver.all(`/${name}`), null, '\t'),
		);
	for (const [index, log] of world.logs.entries())
		await copyFile(log, join(folder, `${index}-${basename(log)}`)).catch(() => undefined);
	return folder;
}

function figuresOf(ledgers: Ledgers): string {
	const { letters, served, events, mailings, followers, erased, limits } = ledgers;
	const statuses = Object.entries(Object.groupBy(mailings, ({ status }) => status));
	const ended = statuses.map(([status, all]) => `${all?.length} ${status}`).join(', ');
	const started = [...followers.values()].reduce(
		(sum, { executions }) => sum + executions.length,
		0,
	);
	const stopped = mailings
		.flatMap(({ runs }) => runs[NODES.send] ?? [])
		.flatMap(({ outputs }) => outputs.flat())
		.filter(({ json }) => String(json.error).startsWith('No more letters may be sent now.'));
	return (
		`${letters.length} to send, ${served.length} letters at the service, ${events.length} events, ` +
		`${mailings.length} mailings (${ended}), ${started} executions of ${followers.size} that follow, ` +
		`${erased.size} letters erased, ${limits.length} limits that stopped ${stopped.length} items`
	);
}
