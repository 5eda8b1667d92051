// What the embedded store has promised holds, whenever the process is killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openSqlite } from '../../../webhook-receiver/src/operation/open-store.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import { tenfoldAtNight } from '../../support/ring.ts';
import { pullOf } from './stores.ts';
import type { Said } from './store-child.ts';

const CHILD = join(__dirname, 'store-child.ts');
const KEYS = ['one', 'two', 'three'];

it('a store that is killed over and over keeps batches as they were handed out', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'receiver-killed-'));
	const file = join(folder, 'receiver.sqlite');
	const said: Said[] = [];
	try {
		for (let round = 0; round < tenfoldAtNight(2); round++)
			said.push(...(await killed(file, round)));
		const events = said.flatMap((entry) => (entry.kind === 'stored' ? [entry] : []));
		const acked = new Set(said.flatMap((entry) => (entry.kind === 'acked' ? [entry.batch] : [])));
		expect(events.length).toBeGreaterThan(100);
		expect(acked.size).toBeGreaterThan(100);

		const store = openSqlite(file);
		const all = await store.consumers.batches({ limit: 1e6, before: null, state: null });
		const kept = new Map(all.map((batch) => [batch.id, batch]));
		for (const entry of said) {
			if (entry.kind !== 'handedOut') continue;
			expect(kept.get(entry.batch)?.events).toEqual(entry.events);
		}
		for (const id of acked) expect(kept.get(id)?.state).toBe('done');

		const later = Date.now() + 3_600_000;
		for (const key of KEYS) await drain(store, key, later);
		const placed = await store.consumers.batches({ limit: 1e6, before: null, state: 'done' });
		await store.close();
		for (const key of KEYS) {
			const sequences = placed
				.filter(({ consumer }) => consumer === key)
				.flatMap((batch) => batch.events);
			expect(new Set(sequences).size).toBe(sequences.length);
			const known = new Set(sequences);
			expect(events.filter(({ sequence }) => !known.has(sequence))).toEqual([]);
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}, 120_000);

/** Lets a process use the file and kills it in the middle; returns what it had printed by then. */
async function killed(file: string, round: number): Promise<Said[]> {
	const child = spawn(process.execPath, [CHILD, file, String(round), ...KEYS], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = once(child, 'exit');
	const said: Said[] = [];
	const lines = createInterface({ input: child.stdout });
	lines.on('line', (line) => {
		said.push(JSON.parse(line) as Said);
		if (said.length === 400 + 31 * round) child.kill('SIGKILL');
	});
	await Promise.all([exited, once(lines, 'close')]);
	return said;
}

async function drain(store: Store, key: string, now: number): Promise<void> {
	for (let ids: string[] = []; ; ) {
		const settle = ids.map((batch) => ({ batch, outcome: 'ack' as const }));
		const pull = pullOf(key, { holder: 'last-n8n', atOnce: 100, settle });
		const taken = await store.consumers.take(pull, now);
		ids = taken.kind === 'taken' ? taken.batches.map(({ id }) => id) : [];
		if (ids.length === 0) return;
	}
}
