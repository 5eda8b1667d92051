// npm run storm: everything at once, and four ledgers compared when it is over.
import { parseArgs } from 'node:util';
import { FAULTS, faultsOf } from './faults.ts';
import { storm, type StormResult } from './run.ts';
import { shrink } from './shrink.ts';
import { retold, tell, type Chapter } from './story.ts';
import { KINDS, type Kind } from './world.ts';

const HELP = `npm run storm -- [options]

  --minutes N    how long faults befall it (2); until all is quiet takes some more
  --seed N       another story (7)
  --world KIND   sqlite, or queue: workers and two receivers on PostgreSQL and Redis (sqlite)
  --wave N       letters in each mailing (60)
  --only NAME    only this fault; may be given more than once
  --tries N      how many shorter stories are tried when one fails (4); 0 for none

Faults: ${Object.keys(FAULTS).join(' · ')}

Exit code 1 when a promise was broken: then it prints the shortest story found that still breaks one.`;

/** At most so many of a kind: the others are of the same cause. */
const SHOWN = 10;

/** What to look at, by words of the promise. */
const PLACES: ReadonlyArray<[RegExp, string]> = [
	[/twice/, 'nodes/shared/sending, webhook-receiver/src/capabilities/claims'],
	[
		/verdict|owns up/,
		'nodes/shared/sending/sendEntries.ts and ledger.ts, nodes/shared/transport/departure.ts',
	],
	[/Await|outcomes|never ended/, 'nodes/shared/waiting, webhook-receiver/src/capabilities/waits'],
	[/limit/, 'webhook-receiver/src/capabilities/claims/limit.ts'],
	[/book/, 'webhook-receiver/src/capabilities/letters/book.ts, claims/letter-records.ts'],
	[/erased/, 'webhook-receiver/src/capabilities/erasure, log/intake.ts'],
	[
		/log|told of|record|bodies|service does not have/,
		'webhook-receiver/src/log, capabilities/watching',
	],
	[/secrets/, 'nodes/shared/transport/service.ts, webhook-receiver/src/logger.ts'],
	[/./, 'nodes/shared/consumer, webhook-receiver/src/queue, n8n.log'],
];

const { values: flags } = parseArgs({
	options: {
		minutes: { type: 'string', default: '2' },
		world: { type: 'string', default: 'sqlite' },
		seed: { type: 'string', default: '7' },
		wave: { type: 'string', default: '60' },
		tries: { type: 'string', default: '4' },
		only: { type: 'string', multiple: true },
		help: { type: 'boolean', default: false },
	},
});
const [minutes, seed, wave, tries] = [flags.minutes, flags.seed, flags.wave, flags.tries].map(
	Number,
);
const names = flags.only ?? Object.keys(FAULTS);
const unknown = names.filter((name) => !(name in FAULTS));
const kind = KINDS.find((one) => one === flags.world);
const isWrong =
	kind === undefined || [minutes, seed, wave, tries].some(Number.isNaN) || unknown.length > 0;

if (flags.help || isWrong) {
	if (unknown.length > 0) console.error(`✗ There is no fault "${unknown.join('", "')}".\n`);
	console.log(HELP);
	process.exitCode = isWrong ? 2 : 0;
} else {
	process.exitCode = (await main(kind as Kind)) ? 0 : 1;
}

/** @returns whether all promises were kept */
async function main(kind: Kind): Promise<boolean> {
	const possible = Object.entries(faultsOf(kind)).filter(([name]) => names.includes(name));
	const known = Object.fromEntries(possible);
	// More than any run of that time can tell.
	const chapters = tell(seed, Math.ceil(minutes * 30), wave, known);
	console.log(`The storm of seed ${seed}, ${kind}, ${minutes} minutes`);
	const onStep = (step: string) => {
		console.log(`${new Date().toISOString().slice(11, 19)}  ${step}`);
	};
	const result = await storm({ kind, seed, chapters, limit: minutes * 60_000, onStep });
	console.log(result.figures);
	if (isKept(result)) {
		console.log('✓ Each promise was kept.');
		return true;
	}
	report(result);
	// Letters are no faults: a shorter story has fewer chapters, with fewer blows.
	const fails = async (shorter: readonly Chapter[]) => {
		console.log(`\nTrying ${shorter.length} of ${result.told.length} chapters`);
		return !isKept(await storm({ kind, seed, chapters: shorter, onStep }));
	};
	const shortest = await shrink(result.told, fails, tries);
	console.log(`\nSeed ${seed}. The shortest story found that still fails:`);
	for (const line of retold(shortest)) console.log(`  ${line}`);
	return false;
}

function report({ findings, kept }: StormResult): void {
	for (const [promise, found] of Object.entries(findings)) {
		console.log(`✗ ${promise}: ${found.length}`);
		for (const one of found.slice(0, SHOWN)) console.log(`    ${one}`);
		console.log(`    Look at: ${PLACES.find(([words]) => words.test(promise))?.[1]}`);
	}
	console.log(`Ledgers and logs: ${kept}`);
}

function isKept({ findings }: StormResult): boolean {
	return Object.keys(findings).length === 0;
}
