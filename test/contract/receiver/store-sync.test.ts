// What the embedded store says is stored is on disk: it answers only after the log is synced.
import fs from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { cleanUp, start, until } from './harness.ts';

type Callback = (error: NodeJS.ErrnoException | null) => void;
type Receiver = Awaited<ReturnType<typeof start>>;

let receiver: Receiver;
/** Syncs that the disk has not finished: a real disk can't be told to wait or to fail. */
let pending: Callback[];
let syncing: jest.SpyInstance;

beforeEach(async () => {
	receiver = await start();
	await receiver.atRest();
	pending = [];
	syncing = jest.spyOn(fs, 'fdatasync').mockImplementation(((_: number, done: Callback) => {
		pending.push(done);
	}) as typeof fs.fdatasync);
});
afterEach(async () => {
	syncing.mockRestore();
	for (const done of pending) done(null);
	await cleanUp();
});

const ingest = (messageId: number) => receiver.emit({ event: 'aes_sent', messageId });
const untilSyncing = () => until(() => pending.length === 1, 'the disk is asked');
/** Other requests come and go meanwhile. */
const isAnswered = async (promise: Promise<unknown>) => {
	let answered = false;
	void promise.then(() => (answered = true));
	for (let n = 0; n < 10; n++) await fetch(`${receiver.url}/healthz`);
	return answered;
};

it('acknowledges an event once the disk has it, and shows it to nobody before', async () => {
	const first = ingest(1);
	await untilSyncing();
	const second = ingest(2);
	const seen = receiver.events();
	expect([await isAnswered(first), await isAnswered(seen)]).toEqual([false, false]);
	pending.pop()?.(null);
	expect((await first).body).toMatchObject({ accepted: 1 });
	await untilSyncing();
	expect(await isAnswered(second)).toBe(false);
	pending.pop()?.(null);
	expect((await second).body).toMatchObject({ accepted: 1 });
	expect((await seen).length).toBeGreaterThan(0);
});

it('accepts nothing more after the disk has failed: nobody knows what it has', async () => {
	const refusal = {
		status: 503,
		body: { message: expect.stringContaining('not able to write at the moment') },
	};
	const first = ingest(1);
	await untilSyncing();
	pending.pop()?.(Object.assign(new Error('EIO'), { code: 'EIO' }));
	expect(await first).toMatchObject(refusal);
	// The same event again would be a duplicate of one that the disk may not have.
	for (const messageId of [1, 2]) expect(await ingest(messageId)).toMatchObject(refusal);
	expect((await fetch(`${receiver.url}/readyz`)).status).toBe(503);
});

it('goes on after a transaction that could not begin', async () => {
	const { exec } = DatabaseSync.prototype;
	let failures = 0;
	const begin = jest.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (
		this: DatabaseSync,
		sql,
	) {
		if (sql.startsWith('BEGIN') && failures++ === 0) throw new Error('disk I/O error');
		return exec.call(this, sql);
	});
	expect((await ingest(1)).status).toBe(503);
	begin.mockRestore();
	const later = ingest(2);
	await untilSyncing();
	pending.pop()?.(null);
	expect((await later).body).toMatchObject({ accepted: 1 });
});
