// Backup while everything runs, and what a restored one has and does: both stores, by the means
// that the README names.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite, { DatabaseSync } from 'node:sqlite';
import { findProgram } from '../../support/programs.ts';
import { itOr } from '../../support/skipped.ts';
import {
	TOKEN,
	cleanUp,
	consume,
	drained,
	later,
	start,
	temporaryFolder,
	until,
} from './harness.ts';
import { startPostgres } from './postgres-server.ts';
import { freshDatabase } from './store-environment.ts';
import { idsIn, providerId, startProcess } from './process.ts';

jest.setTimeout(180_000);
afterEach(cleanUp);

type Running = Awaited<ReturnType<typeof startProcess>>;

const CONSUMED = 'n8n~consumed~node~production';
const AWAY = 'n8n~away~node~production';

const authorization = `Bearer ${TOKEN}`;
const getBackup = (url: string, signal?: AbortSignal) =>
	fetch(`${url}/backup`, { headers: { authorization }, signal });

/** Posts events over four lanes and consumes them, while `during` runs. */
async function underLoad(
	receiver: Running,
	during: (acknowledged: () => string[]) => Promise<void>,
) {
	const acknowledged: string[] = [];
	await receiver.pull({}, { key: AWAY });
	const consumer = await consume(receiver, { key: CONSUMED });
	let isOver = false;
	const lane = async (name: number) => {
		for (let n = 0; !isOver; n++) {
			const id = `e-${name}-${n}`;
			const { status } = await receiver.emit({ id, event: 'aes_sent', messageId: n % 7 });
			if (status === 200) acknowledged.push(id);
		}
	};
	const lanes = [0, 1, 2, 3].map(lane);
	try {
		await until(() => acknowledged.length > 200, 'there is something to back up');
		await during(() => [...acknowledged]);
		const before = acknowledged.length;
		await until(() => acknowledged.length > before + 50, 'it went on meanwhile');
	} finally {
		isOver = true;
		await Promise.all(lanes);
		await consumer.stop();
	}
}

/** Everything from before the backup is there, and its consumers go on where they were. */
async function expectRestored(receiver: Running, before: readonly string[]): Promise<void> {
	const ids = await idsIn(receiver);
	expect(before.filter((id) => !ids.includes(id))).toEqual([]);
	expect(new Set(ids).size).toBe(ids.length);
	const takeAway = async () =>
		(await drained(receiver, { atOnce: 10, wants: { events: ['*'], batchSize: 50 } }, AWAY)).map(
			providerId,
		);
	expect((await takeAway()).sort()).toEqual([...ids].sort());
	const consumed = (await receiver.consumers()).find(({ key }) => key === CONSUMED);
	expect(consumed?.behind).toBeLessThan(ids.length);
	// Known again, not taken for new.
	const answer = await receiver.emit({ id: before[0], event: 'aes_sent', messageId: 0 });
	expect(answer.body).toEqual({ accepted: 0, duplicates: 1 });
	expect((await receiver.emit({ id: 'new', event: 'aes_sent', messageId: 0 })).body.accepted).toBe(
		1,
	);
	expect(await takeAway()).toEqual(['new']);
}

it('SQLite: a copy made under load, restored elsewhere after a kill, has all from before it', async () => {
	const receiver = await startProcess(temporaryFolder());
	const folder = temporaryFolder();
	const file = join(folder, 'receiver.sqlite');
	let before: string[] = [];
	await underLoad(receiver, async (acknowledged) => {
		before = acknowledged();
		const answer = await getBackup(receiver.url);
		expect(answer.status).toBe(200);
		const copy = Buffer.from(await answer.arrayBuffer());
		expect(copy.length).toBe(Number(answer.headers.get('content-length')));
		writeFileSync(file, copy);
	});
	receiver.child.kill('SIGKILL');
	await receiver.exited;
	const database = new DatabaseSync(file);
	expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
	database.close();
	await expectRestored(await startProcess(folder), before);
});

it('SQLite: one copy at a time, only for the token, and nothing left of one that broke off', async () => {
	const receiver = await start();
	for (let n = 0; n < 12; n++) {
		await receiver.emit({ id: `e-${n}`, event: 'aes_sent', text: 'x'.repeat(900_000) });
	}
	expect((await fetch(`${receiver.url}/backup`)).status).toBe(401);
	const first = await getBackup(receiver.url);
	expect(await (await getBackup(receiver.url)).json()).toMatchObject({ code: 'backup-under-way' });
	const files = () => readdirSync(receiver.folder).sort();
	const kept = ['', '-wal', '.key', '.owner'].map((more) => `receiver.sqlite${more}`);
	expect(files()).toEqual(kept);
	await first.body?.cancel();
	const isDone = async () => {
		const answer = await getBackup(receiver.url);
		await answer.arrayBuffer();
		return answer.status === 200;
	};
	await until(isDone, 'the next may begin');
	// What a killed process left is in nobody's way.
	const copy = join(receiver.folder, 'receiver.sqlite.backup');
	writeFileSync(copy, 'half');
	await until(isDone, 'the next may begin');
	// Nor is one that failed.
	mkdirSync(copy);
	await until(async () => (await getBackup(receiver.url)).status === 503, 'it fails');
	rmdirSync(copy);
	expect(await isDone()).toBe(true);
	expect(files()).toEqual(kept);
});

it('SQLite: events are taken while a copy is made', async () => {
	const receiver = await start();
	// More than is copied in one step.
	await receiver.emit({ id: 'large', event: 'aes_sent', text: 'x'.repeat(900_000) });
	const { backup } = sqlite;
	const isCopied = Promise.withResolvers<void>();
	later(isCopied.resolve);
	const copying = jest.spyOn(sqlite, 'backup').mockImplementation(async (...all) => {
		const pages = await backup(...all);
		await isCopied.promise;
		return pages;
	});
	later(() => copying.mockRestore());
	const copy = getBackup(receiver.url);
	await until(() => copying.mock.calls.length > 0, 'the copy begins');
	let status = 0;
	void receiver.emit({ id: 'meanwhile', event: 'aes_sent' }).then((answer) => {
		status = answer.status;
	});
	await until(() => status === 200, 'the event is taken', 10_000);
	isCopied.resolve();
	expect((await copy).status).toBe(200);
});

// The PostgreSQL of the other tests comes without pg_dump, which must not be older than its server.
const pgDump = ['18', '17', '16', '15', '14']
	.map((version) => `/usr/lib/postgresql/${version}/bin`)
	.find((folder) => ['initdb', 'pg_dump', 'pg_restore'].every((name) => findProgram(name, folder)));
const itWithPgDump = itOr(pgDump === undefined && 'no pg_dump (Debian: postgresql)');

itWithPgDump(
	'PostgreSQL: pg_dump under load and pg_restore have all from before the dump',
	async () => {
		const postgres = await startPostgres({}, pgDump);
		later(() => postgres.stop());
		const DATABASE_URL = await postgres.freshDatabase();
		const receiver = await startProcess(temporaryFolder(), { DATABASE_URL });
		const dump = join(temporaryFolder(), 'receiver.dump');
		let before: string[] = [];
		await underLoad(receiver, async (acknowledged) => {
			before = acknowledged();
			const flags = ['--schema', 'registered_delivery', '--format', 'custom', '--file', dump];
			execFileSync(join(pgDump ?? '', 'pg_dump'), [...flags, DATABASE_URL]);
		});
		receiver.child.kill('SIGKILL');
		await receiver.exited;
		const empty = await postgres.freshDatabase();
		execFileSync(join(pgDump ?? '', 'pg_restore'), ['--no-owner', '--dbname', empty, dump]);
		await expectRestored(await startProcess(temporaryFolder(), { DATABASE_URL: empty }), before);
	},
);

it('with PostgreSQL, a request for a backup says what to use', async () => {
	const receiver = await start({ env: { DATABASE_URL: await freshDatabase() } });
	const answer = await getBackup(receiver.url);
	expect(answer.status).toBe(409);
	expect(((await answer.json()) as { message: string }).message).toContain('pg_dump');
});
