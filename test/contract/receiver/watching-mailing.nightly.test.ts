// A mailing watched over 90 days of a virtual clock by one receiver that is killed and restarted in
// between. WATCHED_LETTERS=100000 runs it in full (some 20 minutes of one core).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cleanUp, later } from './harness.ts';

const LETTERS = Number(process.env.WATCHED_LETTERS ?? 600);
const POLLS_PER_MINUTE = Math.max(3, Math.round(LETTERS / 333));

/** Days on which it is stopped: at once, or gracefully. */
const ENDS: Array<{ day: number; signal: 'SIGKILL' | 'SIGTERM' }> = [
	{ day: 1, signal: 'SIGKILL' },
	{ day: 5, signal: 'SIGTERM' },
	{ day: 12, signal: 'SIGKILL' },
	{ day: 40, signal: 'SIGKILL' },
];

interface Figures {
	letters: number;
	changes: number;
	events: number;
	byWatching: number;
	wrong: number;
	examples: object[];
	polls: number;
	busiestMinute: number;
	starts: number;
	heapMB: number[];
}

afterEach(cleanUp);

it(
	'misses no change, makes none twice, and keeps to its rate and its memory',
	async () => {
		// A killed process's writes survive in memory as well as on disk, and cost no fsync.
		const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mailing-'));
		later(() => rmSync(folder, { recursive: true, force: true }));
		let figures: Figures | null = null;
		for (const end of [...ENDS, null]) figures = await run(folder, end);
		if (process.env.WATCHED_LETTERS) console.log(JSON.stringify(figures));
		expect(figures).toMatchObject({ letters: LETTERS, wrong: 0, examples: [] });
		const { changes, events, starts, busiestMinute, heapMB = [] } = figures as Figures;
		expect(changes).toBeGreaterThan(2 * LETTERS);
		expect(events).toBe(changes);
		expect(starts).toBe(ENDS.length + 1);
		expect(busiestMinute).toBeLessThanOrEqual(POLLS_PER_MINUTE + 1);
		// The last run spans 50 days: it should end with about as much memory as it began with.
		expect(heapMB.at(-1)).toBeLessThan((heapMB[0] ?? 0) * 1.25 + 5);
	},
	Math.max(600_000, LETTERS * 60),
);

/** Runs the mailing up to the given end; with null to its own end, returning its figures. */
async function run(folder: string, end: (typeof ENDS)[number] | null): Promise<Figures | null> {
	const program = join(__dirname, 'watching/mailing.ts');
	const flags = ['--disable-warning=ExperimentalWarning', '--expose-gc'];
	const values = [folder, String(LETTERS), String(POLLS_PER_MINUTE)];
	const child = spawn(process.execPath, [...flags, program, ...values], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	later(() => void child.kill('SIGKILL'));
	let said = '';
	child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
	let figures: Figures | null = null;
	createInterface({ input: child.stdout }).on('line', (line) => {
		const entry = JSON.parse(line) as { day?: number; done?: boolean };
		if (entry.done) figures = entry as unknown as Figures;
		if (end !== null && (entry.day ?? 0) >= end.day) child.kill(end.signal);
	});
	const [code] = (await once(child, 'close')) as [number | null];
	if (code !== null && code !== 0) throw new Error(said);
	return figures;
}
