// Over HTTP, on both stores: whatever is known of a letter, erasing leaves nothing of it but its
// number, and loses nothing of the others.
import * as fc from 'fast-check';
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import type { BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { claimClient, claiming } from './claim-client.ts';
import { cleanUp, until } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';

jest.setTimeout(300_000);
afterEach(cleanUp);

const DAY = 24 * 3_600_000;
const LETTERS = [1, 2, 3, 4];
const idOf = (letter: number) => String(letter).padStart(12, '0');
/** What must not be found again; nothing else has it. */
const markOf = (letter: number) => `mark-of-letter-${letter}`;
/** Letters 1 and 2 are of one file, 3 and 4 of another. */
const fileOf = (letter: number) => `file "${Math.ceil(letter / 2)}"`;
const customerOf = (letter: number) => `customer-${letter}`;
const isUnder = (letter: number, other: number) => fileOf(letter) === fileOf(other);

const HOLDER = 'holder-of-a-claim-0001';
const waitOf = (n: number) => `wait-0000-0000-${String(n).padStart(4, '0')}`;
const SERVICE = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token-of-the-service' };

type Step =
	| {
			kind: 'event' | 'stray' | 'watch' | 'eraseId' | 'eraseFile' | 'eraseCustomer';
			letter: number;
	  }
	| { kind: 'wait' | 'sent'; letter: number; other: number }
	| { kind: 'pull' }
	| { kind: 'restart' }
	| { kind: 'wake'; outcome: 'ack' | 'nak' };

const letter = fc.constantFrom(...LETTERS);
const of = <K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);
const history: fc.Arbitrary<Step[]> = fc.array(
	fc.oneof(
		{ weight: 6, arbitrary: fc.record({ kind: of('event', 'event', 'stray', 'watch'), letter }) },
		{ weight: 3, arbitrary: fc.record({ kind: of('wait', 'sent'), letter, other: letter }) },
		{
			weight: 2,
			arbitrary: fc.oneof(fc.record({ kind: of('pull') }), fc.record({ kind: of('restart') })),
		},
		{ weight: 2, arbitrary: fc.record({ kind: of('wake'), outcome: of('ack', 'nak') }) },
		{
			weight: 2,
			arbitrary: fc.record({ kind: of('eraseId', 'eraseFile', 'eraseCustomer'), letter }),
		},
	),
	{ minLength: 1, maxLength: 30, size: 'max' },
);

/** A receiver that is used, and what must be known to it. */
class Use {
	private readonly place: Restartable;
	private number = 0;
	private readonly erased = new Set<number>();
	private readonly events = new Map<number, number>();
	private readonly watched = new Set<number>();
	/** Those whose references are known: a wait has none. */
	private readonly referenced = new Set<number>();
	private readonly keys: Array<{ key: string; letters: number[] }> = [];
	/** The letters of each wait. */
	private readonly waits: number[][] = [];
	private inHand: BatchSettlement[] = [];

	constructor(place: Restartable) {
		this.place = place;
	}

	async step(step: Step): Promise<void> {
		this.place.clock.advance(1_000);
		if (step.kind === 'pull') return this.pull();
		if (step.kind === 'wake') return this.wake(step.outcome);
		if (step.kind === 'restart') return this.place.restart();
		const { letter } = step;
		if (step.kind === 'event') return this.event(letter);
		if (step.kind === 'stray') return this.stray(letter);
		if (step.kind === 'watch') return this.watch(letter);
		if (step.kind === 'wait') return this.wait([...new Set([letter, step.other])]);
		if (step.kind === 'sent') return this.sent([...new Set([letter, step.other])]);
		await this.erase(step.kind, letter);
	}

	/** Wakes all that sleeps, so that nothing is left to be told. */
	async end(): Promise<void> {
		this.place.clock.advance(DAY);
		await until(async () => {
			await this.wake('ack');
			const waits = await this.listed('/waits');
			return waits.every(({ state }) => state === 'done');
		}, 'all are awake');
		const left = this.waits.filter((letters) => letters.some((one) => !this.erased.has(one)));
		expect(await this.listed('/waits?limit=500')).toHaveLength(left.length);
		await this.look();
		const rows = await this.place.rows();
		for (const letter of this.erased) {
			// Its tombstone, by which what comes later is known.
			expect(rows.filter((row) => row.includes(idOf(letter)))).toHaveLength(1);
		}
		await this.place.end();
	}

	private get receiver() {
		return this.place.receiver;
	}

	private async listed(path: string): Promise<Array<Record<string, unknown>>> {
		return (await this.receiver.manage('GET', path)).body.data as never;
	}

	private async event(letter: number): Promise<void> {
		const { body } = await this.receiver.emit({
			id: `post-${++this.number}`,
			event: 'aes_sent',
			messageId: letter,
			fileReference: fileOf(letter),
			customerReference: customerOf(letter),
			text: markOf(letter),
		});
		const accepted = this.erased.has(letter) ? 0 : 1;
		expect(body).toMatchObject({ accepted });
		if (accepted === 0) return;
		this.events.set(letter, (this.events.get(letter) ?? 0) + 1);
		this.referenced.add(letter);
	}

	/** An event in which no id is found, though it is there: it goes with the letter. */
	private async stray(letter: number): Promise<void> {
		const raw = { event: 'news', of: [{ what: idOf(letter) }], n: ++this.number };
		const { body } = await this.receiver.emit({ ...raw, text: markOf(letter) });
		expect(body).toMatchObject({ accepted: this.erased.has(letter) ? 0 : 1 });
	}

	private async watch(letter: number): Promise<void> {
		const told = { fileReference: fileOf(letter), customerReference: customerOf(letter) };
		await this.put(`/watches/${idOf(letter)}`, told, [letter]);
		if (!this.erased.has(letter)) this.referenced.add(letter);
	}

	private async wait(letters: number[]): Promise<void> {
		const wait = {
			instance: 'n8n',
			resumeUrl: 'http://127.0.0.1:9/7',
			secret: 's'.repeat(40),
			messages: letters.map((one) => ({ messageId: idOf(one), messageType: 'AES' as const })),
			deadline: new Date(this.place.clock.now() + DAY).toISOString(),
		};
		await this.put(`/waits/${waitOf(++this.number)}`, wait, letters);
		if (!letters.some((one) => this.erased.has(one))) this.waits.push(letters);
	}

	/** Either makes the receiver watch the letters, or is refused. */
	private async put(path: string, asked: object, letters: number[]): Promise<void> {
		const { status, body } = await this.receiver.manage('PUT', path, asked);
		if (letters.some((one) => this.erased.has(one))) {
			expect({ status, code: body.code }).toEqual({ status: 410, code: 'message-erased' });
		} else {
			expect(status).toBeLessThan(300);
			for (const one of letters) this.watched.add(one);
		}
	}

	private async sent(letters: number[]): Promise<void> {
		const answer = {
			messageIds: letters.map(idOf),
			messages: letters.map((one) => ({ id: idOf(one), email: markOf(one) })),
		};
		const key = `key-${++this.number}`;
		const ask = claimClient(this.receiver);
		await ask.all([claiming(key, HOLDER, { name: letters.map(markOf).join() })]);
		await ask.sent(HOLDER, key, answer);
		this.keys.push({ key, letters: letters.filter((one) => !this.erased.has(one)) });
	}

	private async pull(): Promise<void> {
		const wants = { events: ['*'], batchSize: 2 };
		const { batches } = await this.receiver.pulled({ wants, atOnce: 2, settle: this.inHand });
		for (const { events } of batches) expect(events).not.toEqual([]);
		this.inHand = batches.map(({ id: batch }) => ({ batch, outcome: 'ack' }));
	}

	private async wake(outcome: 'ack' | 'nak'): Promise<void> {
		const pull = (more: object) =>
			this.receiver.pulled({ wants: null, ...more }, { key: 'n8n~process' });
		const { wakeUps } = await pull({});
		for (const { resume } of wakeUps) {
			for (const one of resume.outcomes) {
				const isErased = this.erased.has(Number(one.id));
				expect(one.outcome === 'erased').toBe(isErased);
				if (isErased) expect(one).toMatchObject({ status: null, event: null, eventId: null });
			}
		}
		const settled = wakeUps.map(({ id: batch }) => ({ batch, outcome }));
		await pull({ wakeUps: settled, atOnce: 0, leaving: true });
		this.place.clock.advance(ACK_WAIT_MS);
	}

	private async erase(kind: 'eraseId' | 'eraseFile' | 'eraseCustomer', letter: number) {
		const [path, expected] = {
			eraseId: [`/${idOf(letter)}`, [letter]] as const,
			eraseFile: [
				`?fileReference=${encodeURIComponent(fileOf(letter))}`,
				LETTERS.filter((one) => isUnder(letter, one) && this.referenced.has(one)),
			] as const,
			eraseCustomer: [
				`?customerReference=${customerOf(letter)}`,
				[letter].filter((one) => this.referenced.has(one)),
			] as const,
		}[kind];
		const { body } = await this.receiver.manage('DELETE', `/letters${path}`);
		expect(body).toEqual({ erased: expected.map(idOf) });
		for (const one of expected) {
			this.erased.add(one);
			this.events.delete(one);
			this.watched.delete(one);
			this.referenced.delete(one);
			for (const key of this.keys) key.letters = key.letters.filter((other) => other !== one);
		}
		await this.look();
	}

	/** Nothing of the erased letters, everything of the others. */
	private async look(): Promise<void> {
		const rows = await this.place.rows();
		for (const letter of LETTERS) {
			if (this.erased.has(letter)) {
				expect(rows.filter((row) => row.includes(markOf(letter)))).toEqual([]);
			}
			const events = await this.listed(`/events?limit=100&message=${idOf(letter)}`);
			expect(events).toHaveLength(this.events.get(letter) ?? 0);
			const { body } = await this.receiver.manage('GET', `/letters/${idOf(letter)}`);
			expect(body.watch !== null).toBe(this.watched.has(letter));
		}
		for (const { key, letters } of this.keys) {
			const kept = letters.length === 0 ? { erased: true } : { messageIds: letters.map(idOf) };
			const claim = await claimClient(this.receiver).get(key);
			expect(claim).toMatchObject({ state: 'sent', answer: kept });
		}
	}
}

describe.each(STORES)('$name', (kind) => {
	it('nothing of an erased letter is left or comes back, and nothing of others is lost', async () => {
		await fc.assert(
			fc.asyncProperty(history, async (steps) => {
				const use = new Use(await Restartable.on(kind, SERVICE));
				for (const step of steps) await use.step(step);
				await use.end();
			}),
			// Each history starts receivers: to look for a shorter one takes many minutes.
			{ numRuns: Math.ceil(kind.runs / 2), endOnFailure: true },
		);
	});

	it('an erased letter goes from what n8n is yet to get, refused and got, and leaves the others there', async () => {
		const { clock, receiver } = await Restartable.on(kind);
		const wants = { events: ['*'], batchSize: 2 };
		const sent = (messageId: number) => ({ event: 'aes_sent', messageId });
		// No id is found in it.
		const stray = (letter: number) => ({ event: 'news', of: [{ what: idOf(letter) }] });
		await receiver.pull({ wants });
		await receiver.emit([sent(1), sent(2), stray(3), sent(4), ...[5, 6, 7, 8].map(sent)]);
		const { batches } = await receiver.pulled({ wants, atOnce: 4 });
		const settle = (['nak', 'term', 'ack', 'term'] as const).map((outcome, at) => {
			return { batch: batches[at].id, outcome };
		});
		await receiver.pulled({ wants, atOnce: 0, settle });
		for (const letter of [1, 3, 5, 7, 8]) {
			await receiver.manage('DELETE', `/letters/${idOf(letter)}`);
		}
		const left = await receiver.batches();
		expect(left.map(({ state, subjects, events }) => [state, subjects, events.length])).toEqual([
			['done', [idOf(6)], 1],
			['dead', [idOf(4)], 1],
			['queued', [idOf(2)], 1],
		]);
		await receiver.manage('POST', '/batches/retry?state=dead');
		clock.advance(ACK_WAIT_MS);
		const again = await receiver.pulled({ wants, atOnce: 4 });
		const letters = again.batches.map(({ events }) => events.map(({ messageId }) => messageId));
		expect(letters.sort()).toEqual([[idOf(2)], [idOf(4)]]);
	});

	it('what was delivered with an erased letter stays on record, though its events are gone for age', async () => {
		const { clock, receiver } = await Restartable.on(kind, { RETENTION: '2d' });
		await receiver.pull();
		await receiver.emit([1, 2].map((messageId) => ({ event: 'aes_sent', messageId })));
		const wants = { events: ['*'], batchSize: 2 };
		clock.advance(DAY);
		const { batches } = await receiver.pulled({ wants });
		const settle = batches.map(({ id: batch }) => ({ batch, outcome: 'ack' as const }));
		await until(async () => {
			await receiver.pull({ wants, settle });
			clock.advance(DAY / 24);
			await receiver.atRest();
			return (await receiver.events()).every(({ messageId }) => messageId === null);
		}, 'the events are gone');
		await receiver.manage('DELETE', `/letters/${idOf(1)}`);
		expect(await receiver.batches()).toMatchObject([{ state: 'done', subjects: [idOf(2)] }]);
	});

	it('what executions waited for that are awake, or were given up, has nothing of an erased letter', async () => {
		const place = await Restartable.on(kind);
		const { clock, receiver } = place;
		const wait = (n: number, letters: number[]) =>
			receiver.manage('PUT', `/waits/${waitOf(n)}`, {
				instance: 'n8n',
				resumeUrl: 'http://127.0.0.1:9/7',
				secret: 's'.repeat(40),
				messages: letters.map((one) => ({ messageId: idOf(one) })),
				deadline: new Date(clock.now() + DAY).toISOString(),
			});
		const stateOf = async (n: number) =>
			(await receiver.manage('GET', `/waits/${waitOf(n)}`)).body.state;
		const pull = (more: object) =>
			receiver.pulled({ wants: null, ...more }, { key: 'n8n~process' });
		await wait(1, [1]);
		await wait(2, [1, 2]);
		await receiver.emit([1, 2].map((messageId) => ({ event: 'aes_opened', messageId })));
		await until(async () => (await stateOf(2)) === 'queued', 'they are to be woken');
		const { wakeUps } = await pull({});
		const settled = wakeUps.map(({ id: batch }) => ({ batch, outcome: 'ack' }));
		await pull({ wakeUps: settled, leaving: true });
		expect([await stateOf(1), await stateOf(2)]).toEqual(['done', 'done']);
		await wait(3, [1, 3]);
		await receiver.manage('DELETE', `/letters/${idOf(1)}`);
		expect([await stateOf(1), await stateOf(2)]).toEqual([undefined, 'done']);
		await until(async () => {
			clock.advance(DAY / 2);
			await receiver.atRest();
			return (await stateOf(3)) === 'dead';
		}, 'it is given up');
		// Its tombstone.
		expect((await place.rows()).filter((row) => row.includes(idOf(1)))).toHaveLength(1);
	});

	it('what comes of an erased letter is discarded for a year, and its number forgotten then', async () => {
		const place = await Restartable.on(kind);
		await place.receiver.manage('DELETE', `/letters/${idOf(1)}`);
		const accepted = async () =>
			(await place.receiver.emit({ event: 'aes_sent', messageId: 1 })).body.accepted;
		place.clock.advance(360 * DAY);
		expect(await accepted()).toBe(0);
		place.clock.advance(10 * DAY);
		await until(async () => {
			await place.receiver.atRest();
			place.clock.advance(10 * 60_000);
			return !(await place.rows()).some((row) => row.includes(idOf(1)));
		}, 'it is forgotten');
		expect(await accepted()).toBe(1);
	});

	it('erases more letters under a reference than go into one transaction', async () => {
		const { receiver } = await Restartable.on(kind);
		const letters = Array.from({ length: 120 }, (_, n) => n + 1);
		await receiver.emit([
			...letters.map((messageId) => ({
				event: 'aes_sent',
				messageId,
				customerReference: messageId > 115 ? 'B' : 'A',
			})),
			// One that reads alike inside is not of this reference.
			{ event: 'aes_sent', messageId: 500, inner: { customerReference: 'A' } },
		]);
		const { body } = await receiver.manage('DELETE', '/letters?customerReference=A');
		expect(body).toEqual({ erased: letters.slice(0, 115).map(idOf) });
		const left = await receiver.events();
		expect(left.map(({ messageId }) => messageId).sort()).toEqual(
			[116, 117, 118, 119, 120, 500].map(idOf),
		);
	});
});
