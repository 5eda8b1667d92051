// Erasing letters over HTTP, on both stores, and that nothing of them is left on disk.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { LETTER, ME, YOU, claimClient } from './claim-client.ts';
import {
	KEY,
	ManualClock,
	call,
	cleanUp,
	idOf,
	idsTo,
	recordedLog,
	start,
	temporaryFolder,
	until,
	waitFor,
} from './harness.ts';
import { holdCommits } from './held-commits.ts';
import { Restartable } from './restartable.ts';
import { HTTP_STORES, STORES, freshDatabase } from './store-environment.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const [A, B] = idsTo(2);

describe.each(HTTP_STORES)('in $name', (kind) => {
	it('tells a sleeping execution at once, refuses to follow the letter, and says so in words', async () => {
		const receiver = await start({ env: await kind.environment() });
		const put = (id: string) =>
			receiver.manage('PUT', `/waits/${id}`, waitFor({ now: Date.now }, [A]));
		await put('wait-0000-0000-0001');
		const held = receiver.pulled({ wants: null, openMs: 25_000 }, { key: 'n8n~process' });
		await receiver.manage('DELETE', `/letters/${A}`);
		const { wakeUps } = await held;
		expect(wakeUps).toMatchObject([
			{ resume: { reason: 'complete', outcomes: [{ id: A, outcome: 'erased' }] } },
		]);
		const refusal = await put('wait-0000-0000-0002');
		expect(refusal).toMatchObject({ status: 410, body: { code: 'message-erased' } });
		expect(refusal.body.message).toMatch(new RegExp(`erase ${A}\\. .*leave it out`));
		expect((await receiver.manage('GET', '/waits/wait-0000-0000-0002')).status).toBe(404);
	});

	it('makes room at once for the next, where n8n has the letter in hand', async () => {
		const receiver = await start({ env: await kind.environment() });
		await receiver.pull();
		for (const messageId of [1, 2]) {
			await receiver.emit({ event: 'aes_sent', messageId });
			await receiver.pull({ atOnce: 1 });
		}
		let next: Batch[] = [];
		void receiver.pulled({ atOnce: 1, openMs: 25_000 }).then(({ batches }) => (next = batches));
		await receiver.untilHeld();
		await receiver.manage('DELETE', `/letters/${A}`);
		await until(() => next.length > 0, 'it is handed out', 5_000);
		expect(next).toMatchObject([{ events: [{ messageId: B }] }]);
	});
});

it('says in log and metrics that letters were erased, not which', async () => {
	const { logger, lines } = recordedLog();
	const receiver = await start({ dependencies: { logger } });
	const more = { event: 'aes_sent', customerReference: 'Rossi' };
	await receiver.emit([1, 2].map((messageId) => ({ ...more, messageId })));
	const byReference = await receiver.manage('DELETE', '/letters?customerReference=Rossi');
	expect(byReference.body).toEqual({ erased: [A, B], withoutId: 0 });
	await receiver.manage('DELETE', '/letters/000000000077');
	const said = lines.join('');
	expect(said).toContain('"letters":2');
	expect(said).toMatch(/"method":"DELETE","path":"\/letters"/);
	expect(said).not.toMatch(/Rossi|0000000000(01|02|77)/);
	expect(await receiver.metrics()).toContain('receiver_erased_total 3\n');
});

it('erases who is named by a key that is unknown, and keeps the key', async () => {
	const place = await Restartable.on(STORES[0]);
	const { receiver } = place;
	const { claim, unknown, get } = claimClient(receiver);
	const digest = 'd'.repeat(64);
	const usedFor = {
		service: 'https://service.example',
		accounts: [digest],
		sender: null,
		type: 'AES',
		recipients: digest,
		to: 'anna@example.org',
	};
	await claim(ME, 'k', { name: 'Bill of Anna Rossi', usedFor });
	await unknown(ME, 'k', 'cut off while sending to anna@example.org');
	const erased = await receiver.manage('DELETE', '/claims/k/names');
	expect(erased).toMatchObject({ status: 200, body: { state: 'unknown', name: null } });
	expect((await place.rows()).filter((row) => /anna@|Rossi/.test(row))).toEqual([]);
	expect(await get()).toMatchObject({ state: 'unknown', usedFor: { recipients: digest } });
	expect(await claim(YOU)).toMatchObject({ state: 'unknown', mine: false });
	expect((await receiver.manage('DELETE', '/claims/nobody/names')).status).toBe(404);
});

it.each(['consents', 'customers'])('erases one of the %s, and never says which', async (list) => {
	const { logger, lines } = recordedLog();
	const receiver = await start({ dependencies: { logger } });
	const answer = await receiver.manage('DELETE', `/${list}/0000-A`);
	expect(answer).toMatchObject({ status: 200, body: { erased: ['0000-a'] } });
	expect(lines.join('')).not.toMatch(/0000-a/i);
});

it('erases nothing unless told which letters', async () => {
	const receiver = await start();
	await receiver.emit({ event: 'aes_sent', messageId: 1, fileReference: 'F' });
	for (const path of [
		'',
		'?',
		'?fileReference=',
		'?fileReference=F&customerReference=C',
		'?reference=F',
		'?fileReference=F&fileReference=G',
		'/1',
		'/abc',
	]) {
		const { status } = await receiver.manage('DELETE', `/letters${path}`);
		expect({ path, status }).toEqual({ path, status: 400 });
	}
	expect((await call(`${receiver.url}/letters/${A}`, { method: 'DELETE' })).status).toBe(401);
	expect(await receiver.events()).toHaveLength(1);
});

it('leaves no byte of an erased letter in the files of the embedded store', async () => {
	const receiver = await start();
	const bytes = () =>
		['', '-wal'].map((more) =>
			readFileSync(join(receiver.folder, `receiver.sqlite${more}`), 'latin1'),
		);
	await receiver.pull();
	const letters = Array.from({ length: 300 }, (_, n) => n + 1);
	const text = (letter: number, n: number) =>
		`<mark of ${letter}>`.repeat(1 + ((letter * 7 + n * 31) % 190));
	// Of many sizes and in mixed order, so that pages split, merge and overflow.
	for (let n = 0; n < 6; n++) {
		const states = ['sent', 'undelivered', 'received', 'undelivered', 'received', 'opened'];
		const raws = letters.map((messageId) => ({
			event: `aes_${states[n]}`,
			messageId,
			text: text(messageId, n),
			n,
		}));
		for (let at = 0; at < raws.length; at += 50) await receiver.emit(raws.slice(at, at + 50));
		const { batches } = await receiver.pulled({ atOnce: 20 });
		const settle = batches.map(({ id }) => ({ batch: id, outcome: 'ack' as const }));
		await receiver.pulled({ settle, atOnce: 0 });
	}
	const isErased = (letter: number) => letter % 3 === 0;
	for (const letter of letters.filter(isErased)) {
		await receiver.manage('DELETE', `/letters/${idOf(letter)}`);
		await receiver.emit({ event: 'aes_expired', messageId: letter, text: text(letter, 7) });
	}
	const found = bytes().flatMap((file) => file.match(/mark of \d+>/g) ?? []);
	const marks = new Set(found.map((mark) => Number(/\d+/.exec(mark)?.[0])));
	expect([...marks].filter(isErased)).toEqual([]);
	expect(marks.size).toBe(200);
	expect((await receiver.consumers())[0]).toMatchObject({ key: KEY });
});

/** Longer than it rests between two times that it rewrites the file. */
const REST_MS = 3_600_000;

it('leaves none of where its row stood before it grew', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const file = join(receiver.folder, 'receiver.sqlite');
	const COUNT = 6_000;
	const isErased = (letter: number) => letter % 10 === 0;
	// Each grows twice, soon after others stand behind it.
	const told = (state: string, number: number) => {
		const letter = Math.max(1, number);
		return {
			event: `aes_${state}`,
			messageId: letter,
			fileReference: `<${letter}@example.org>`,
			customerReference: 'c'.repeat(1 + ((letter * 7_919) % 83)),
		};
	};
	for (let first = 1; first < COUNT; first += 15) {
		const some = Array.from({ length: 15 }, (_, n) => first + n);
		await receiver.emit(
			some.flatMap((n) => [
				told('sent', n),
				told('undelivered', n - ((n * 31) % 40)),
				told('received', n - 40 - ((n * 17) % 300)),
			]),
		);
	}
	for (let letter = 10; letter <= COUNT; letter += 10)
		await receiver.manage('DELETE', `/letters/${idOf(letter)}`);
	const left = () => {
		const found = readFileSync(file, 'latin1').match(/<\d+@example/g) ?? [];
		return found.filter((mark) => isErased(Number(/\d+/.exec(mark)?.[0])));
	};
	clock.advance(REST_MS);
	await until(() => left().length === 0, 'the file was rewritten', 60_000);
});

it('rewrites the file whoever erased, once for many, and after a restart', async () => {
	const clock = new ManualClock();
	const options = { folder: temporaryFolder(), dependencies: { clock } };
	const file = join(options.folder, 'receiver.sqlite');
	// The file's header says whether it is to be rewritten, and counts how often it was.
	const header = (at: number) => readFileSync(file).readUInt32BE(at);
	const isDue = () => header(60) === 1;
	const rewritten = () => header(40);
	let receiver = await start(options);
	const { claim, put, unknown } = claimClient(receiver);
	await claim(ME, 'k', { letter: LETTER });
	await unknown(ME, 'k');
	await receiver.manage('DELETE', '/claims/k/names');
	await until(() => !isDue(), 'names were erased');
	let last = rewritten();
	const untilRewritten = async (why: string) => {
		clock.advance(REST_MS);
		await until(() => rewritten() > last, why);
		last = rewritten();
	};
	await claim(ME, 'overtaken', { letter: { ...LETTER, customerReference: 'Rossi' } });
	await receiver.manage('DELETE', '/letters?customerReference=Rossi');
	await untilRewritten('a letter without an id was erased');
	await receiver.emit({ event: 'lre_failed', messageId: A, customerReference: 'Rossi' });
	await put('overtaken', { state: 'sent', holder: ME, answer: {}, messageIds: [A] });
	await untilRewritten('it got its id after its first event');
	for (let letter = 2; letter < 12; letter++)
		await receiver.manage('DELETE', `/letters/${idOf(letter)}`);
	expect([isDue(), rewritten()]).toEqual([true, last]);
	await receiver.close();
	receiver = await start(options);
	await until(() => rewritten() > last, 'it started again');
});

it('leaves no byte of who was named by a key', async () => {
	const receiver = await start();
	const { claim, unknown } = claimClient(receiver);
	await claim(ME, 'k', { name: 'Bill of Anna Rossi' });
	await unknown(ME, 'k', 'cut off while sending to anna@example.org');
	await receiver.manage('DELETE', '/claims/k/names');
	const files = ['', '-wal'].map((more) =>
		readFileSync(join(receiver.folder, `receiver.sqlite${more}`), 'latin1'),
	);
	expect(files.join('')).not.toMatch(/Rossi|anna@/);
});

it('keeps nothing of an erased letter under a key that is reported later, by n8n or a person', async () => {
	const receiver = await start();
	const { claim, sent, unknown, get } = claimClient(receiver);
	await claim(ME, 'k', { name: 'Bill of Anna Rossi' });
	await claim(ME, 'lost', { name: 'Bill of Anna Rossi' });
	await unknown(ME, 'lost');
	await receiver.manage('DELETE', `/letters/${A}`);
	await sent(ME, 'k', { messageId: A, messages: [{ id: A }] });
	const person = await receiver.manage('POST', '/claims/lost/sent', { messageIds: [A] });
	expect(person.status).toBe(200);
	for (const key of ['k', 'lost']) {
		const claimed = await get(key);
		expect(claimed).toMatchObject({ state: 'sent', name: null });
		expect(JSON.stringify(claimed)).not.toContain(A);
	}
});

it('watches no erased letter, nor any that are asked for with it', async () => {
	const env = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token-of-the-service' };
	const receiver = await start({ env });
	await receiver.manage('DELETE', `/letters/${A}`);
	const messages = [{ messageId: B }, { messageId: A }];
	const refused = { status: 410, body: { code: 'message-erased' } };
	expect(await receiver.manage('POST', '/watches', { messages })).toMatchObject(refused);
	expect(await receiver.manage('PUT', `/watches/${A}`, {})).toMatchObject(refused);
	expect((await receiver.manage('GET', '/watches')).body).toEqual({ data: [], next: null });
});

it('keeps of a letter after LETTERS_RETENTION only what recognizes its events', async () => {
	const clock = new ManualClock();
	const env = { RETENTION: '2d', LETTERS_RETENTION: '2d' };
	const receiver = await start({ env, dependencies: { clock } });
	const event = { event: 'aes_opened', messageId: 1, customerReference: 'Rossi' };
	const pass = async (days: number) => {
		for (let hours = 0; hours < 24 * days; hours += 6) {
			clock.advance(6 * 3_600_000);
			await receiver.atRest();
		}
	};
	expect((await receiver.emit(event)).body).toEqual({ accepted: 1, duplicates: 0 });
	await pass(3);
	expect(await receiver.events()).toEqual([]);
	const byReference = async () =>
		(await receiver.manage('DELETE', '/letters?customerReference=Rossi')).body;
	expect(await byReference()).toEqual({ erased: [], withoutId: 0 });
	expect((await receiver.emit(event)).body).toEqual({ accepted: 0, duplicates: 1 });
	// Nor does the repetition bring back what else it says.
	expect(await byReference()).toEqual({ erased: [], withoutId: 0 });
	// Nor does an execution that waits for an hour make it be kept for less.
	await receiver.manage('PUT', '/waits/wait-0000-0000-0001', waitFor(clock, [idOf(1)]));
	await pass(4);
	expect((await receiver.emit(event)).body).toEqual({ accepted: 0, duplicates: 1 });
});

it('erases a letter also from a batch that is made meanwhile, at several receivers on one PostgreSQL', async () => {
	const env = { DATABASE_URL: await freshDatabase() };
	const [receiver, other] = [await start({ env }), await start({ env })];
	await receiver.pull();
	await receiver.emit({ event: 'aes_sent', messageId: 1 });
	const hold = await holdCommits(env.DATABASE_URL, 'held-on-its-way');
	const pulled = receiver.pull({ name: 'held-on-its-way' });
	await until(async () => (await hold.waiting()) > 0, 'the batch is about to be committed');
	const erase = () => other.manage('DELETE', `/letters/${A}`);
	let isErased = false;
	const erased = erase().then(({ status }) => (isErased = status === 200));
	const isHeldUp = async () => isErased || (await hold.waiting()) > 1;
	await until(isHeldUp, 'the letter is erased, or its batch is waited for');
	await hold.release();
	await pulled;
	// On a busy machine the database may have been waited for in vain.
	if (!(await erased)) expect((await erase()).status).toBe(200);
	const { body } = await receiver.manage('GET', `/batches?message=${A}`);
	expect(body).toEqual({ data: [], next: null });
});
