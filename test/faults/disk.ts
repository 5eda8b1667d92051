import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { call, later, temporaryFolder, until } from '../contract/receiver/harness.ts';
import { startPostgres } from '../contract/receiver/postgres-server.ts';
import { idsIn, startProcess } from '../contract/receiver/process.ts';
import { findProgram } from '../support/programs.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { itOr } from '../support/skipped.ts';
import { record } from './figures.ts';
import { World } from './world.ts';

export function diskFaults() {
	/**
	 * A file that may not grow: the receiver is refused like on a full disk, and unlike a small tmpfs it
	 * needs no right to mount, so it runs anywhere.
	 */
	const prlimit = findProgram('prlimit');
	itOr(prlimit === null && 'no prlimit (Debian: util-linux)')(
		'a full disk: 503, nothing acknowledged falsely, recovers by itself',
		async () => {
			const folder = temporaryFolder();
			const receiver = await startProcess(folder);
			const limitFiles = (bytes: string) =>
				execFileSync(String(prlimit), [
					'--pid',
					String(receiver.child.pid),
					`--fsize=${bytes}:unlimited`,
				]);
			const used = statSync(join(folder, 'receiver.sqlite-wal')).size;
			const acknowledged: string[] = [];
			let refused = 0;
			const post = async (n: number) => {
				const id = `e-${n}`;
				const { status } = await receiver.emit({ id, event: 'aes_sent', text: 'x'.repeat(2_000) });
				if (status === 200) acknowledged.push(id);
				else refused += Number(status === 503);
				return status;
			};
			const readiness = async () => (await call(`${receiver.url}/readyz`, {})).status;
			limitFiles(String(used + 80_000));
			const during = await Promise.all(Array.from({ length: 60 }, (_, n) => post(n)));
			expect(new Set(during).has(503)).toBe(true);
			// A repeated id would be a duplicate, which needs no room.
			for (let n = 1_000; (await post(n)) !== 503; n++);
			// Alive, and honest about not being able to accept anything.
			expect(await readiness()).toBe(503);
			expect((await call(`${receiver.url}/healthz`, {})).status).toBe(200);
			limitFiles('unlimited');
			await until(async () => (await readiness()) === 200, 'it is ready');
			expect(await post(9_999)).toBe(200);

			expect((await idsIn(receiver)).sort()).toEqual([...acknowledged].sort());
			const figure = `${refused} × 503, 0 of ${acknowledged.length} acknowledged falsely, recovered`;
			record('disk full', figure);
		},
	);

	itOnSmallDisk('SQLite: the disk full under 300 events a second', async (disk) => {
		const world = await World.start({ receivers: [{}], folder: disk.folder });
		let log = '';
		world.receivers[0].child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
		await fillAndFree(world, disk);
		// The log says where: SQLite itself says "disk I/O error", or that something is full.
		const named = /DATABASE_FILE [^:"]+/.exec(log)?.[0];
		expect(named).toBe(`DATABASE_FILE ${join(disk.folder, 'receiver.sqlite')}`);
		record('disk full under load: SQLite', await world.verdict());
	});

	itOnSmallDisk(
		'PostgreSQL: the disk of its tables full under 300 events a second',
		async (disk) => {
			const postgres = await startPostgres();
			later(() => postgres.stop());
			const env = { DATABASE_URL: await postgres.freshDatabase(disk.folder) };
			const world = await World.start({ receivers: [env, env] });
			await fillAndFree(world, disk);
			record('disk full under load: PostgreSQL', await world.verdict());
		},
	);
}

/** Not ready while events are refused, and ready without a restart. */
async function fillAndFree(world: World, disk: SmallDisk): Promise<void> {
	await world.flows();
	disk.fill();
	for (const [index, { url }] of world.receivers.entries()) {
		await world.untilReadiness(index, 503);
		expect((await call(`${url}/healthz`, {})).status).toBe(200);
	}
	for (let look = 0; look < 5; look++) {
		await world.refuses(2);
		// What still fits on a page is stored, and makes its receiver ready until the next that doesn't.
		for (const index of world.receivers.keys()) await world.untilReadiness(index, 503);
	}
	disk.free();
	for (const index of world.receivers.keys()) await world.untilReadiness(index, 200);
	await world.flows();
}

function itOnSmallDisk(title: string, test: (disk: SmallDisk) => Promise<void>): void {
	const trial = mountSmallDisk(1);
	trial?.remove();
	itOr(trial === null && 'no disk can be mounted here (run as root)')(title, async () => {
		const disk = mountSmallDisk(32);
		if (disk === null) throw new Error('No further disk can be mounted.');
		later(() => disk.remove());
		await test(disk);
	});
}
