// What the embedded store says is stored is on disk: it answers only after the log is synced.
import fs from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../../../webhook-receiver/src/operation/store.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import { arrival } from './stores.ts';

type Callback = (error: NodeJS.ErrnoException | null) => void;

const folder = mkdtempSync(join(tmpdir(), 'receiver-sync-'));
let store: Store;
/** Syncs that the disk has not finished: a real disk can't be told to wait or to fail. */
let pending: Callback[] = [];
let syncing: jest.SpyInstance;

beforeEach(() => {
	pending = [];
	syncing = jest.spyOn(fs, 'fdatasync').mockImplementation(((_: number, done: Callback) => {
		pending.push(done);
	}) as typeof fs.fdatasync);
	store = openSqlite(join(folder, `${expect.getState().currentTestName?.length}.sqlite`));
});
afterEach(async () => {
	syncing.mockRestore();
	for (const done of pending) done(null);
	await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ingest = (messageId: number) => {
	const now = Date.now();
	return store.intake.add(arrival(now, { event: 'aes_sent', messageId }));
};
const turns = async () => {
	for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
};
const stateOf = async (promise: Promise<unknown>) => {
	await turns();
	return await Promise.race([promise.then(() => 'resolved'), Promise.resolve('pending')]);
};

it('acknowledges an event once the disk has it, and shows it to nobody before', async () => {
	const first = ingest(1);
	expect(await stateOf(first)).toBe('pending');
	const second = ingest(2);
	const seen = store.log.slice({ limit: 10, before: null });
	expect(await stateOf(seen)).toBe('pending');
	expect(pending).toHaveLength(1);
	pending.pop()?.(null);
	expect(await first).toMatchObject({ accepted: 1 });
	expect(await seen).toHaveLength(1);
	expect(await stateOf(second)).toBe('pending');
	pending.pop()?.(null);
	expect(await second).toMatchObject({ accepted: 1 });
});

it('accepts nothing more after the disk has failed: nobody knows what it has', async () => {
	const first = ingest(1);
	await turns();
	pending.pop()?.(Object.assign(new Error('EIO'), { code: 'EIO' }));
	await expect(first).rejects.toThrow('The store is not able to write at the moment.');
	// The same event again would be a duplicate of one that the disk may not have.
	for (const later of [() => ingest(1), () => ingest(2), () => store.check()]) {
		await expect(later()).rejects.toThrow('The store is not able to write at the moment.');
	}
});

it('goes on after a transaction that could not begin', async () => {
	const { exec } = DatabaseSync.prototype;
	let failures = 0;
	const begin = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
		this: DatabaseSync,
		sql,
	) {
		if (sql === 'BEGIN IMMEDIATE' && failures++ === 0) throw new Error('disk I/O error');
		return exec.call(this, sql);
	});
	const reason = 'The store is not able to write at the moment.';
	await expect(ingest(1)).rejects.toThrow(reason);
	begin.mockRestore();
	const later = ingest(2);
	await turns();
	pending.pop()?.(null);
	expect(await later).toMatchObject({ accepted: 1 });
});

it('does not wait for the disk when nothing was written', async () => {
	await store.watching.end('000000000001', Date.now());
	expect(pending).toHaveLength(0);
});
