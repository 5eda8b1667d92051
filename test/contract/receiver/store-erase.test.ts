// Over HTTP, on both stores: whatever is known of a letter, erasing leaves nothing of it but its
// number, and loses nothing of the others.
import { ACK_WAIT_MS } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { ME, claimClient } from './claim-client.ts';
import { cleanUp, idOf, idsTo, until, waitFor } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES } from './store-environment.ts';

jest.setTimeout(300_000);
afterEach(cleanUp);

const DAY = 24 * 3_600_000;
const SERVICE = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token-of-the-service' };
const [A, B, C, D] = idsTo(4);

/** What must not be found again of an erased letter; nothing else has it. */
const markOf = (id: string) => `mark-of-letter-${id}`;
/** An event in which no ID is found, though it is there: it goes with the letter. */
const stray = (id: string, more: object = {}) => ({ event: 'news', of: [{ what: id }], ...more });
const waitId = (n: number) => `wait-0000-0000-${String(n).padStart(4, '0')}`;

/** Wakes that n8n asks for, settled. */
async function wake({ receiver }: Restartable) {
	const pull = (more: object) => receiver.pulled({ wants: null, ...more }, { key: 'n8n~process' });
	const { wakeUps } = await pull({});
	const settled = wakeUps.map(({ id: batch }) => ({ batch, outcome: 'ack' }));
	await pull({ wakeUps: settled, leaving: true });
	return wakeUps.flatMap(({ resume }) => resume.outcomes);
}

describe.each(STORES)('$name', (kind) => {
	it('nothing of an erased letter is left or comes back, and nothing of others is lost', async () => {
		const place = await Restartable.on(kind, SERVICE);
		const { clock } = place;
		const ask = (method: string, path: string, body?: object) =>
			place.receiver.manage(method, path, body);
		const emit = async (event: object) => (await place.receiver.emit(event)).body.accepted;
		const aes = (state: string, id: string) => ({
			event: `aes_${state}`,
			messageId: id,
			fileReference: id > B ? 'file "2"' : 'file "1"',
			text: markOf(id),
		});
		const wait = (n: number, ids: string[]) =>
			ask('PUT', `/waits/${waitId(n)}`, waitFor(clock, ids));
		const told = async (key: string, ids: string[]) => {
			const { claim, sent } = claimClient(place.receiver);
			await claim(ME, key, { name: ids.map(markOf).join() });
			const messages = ids.map((id) => ({ id, email: markOf(id) }));
			await sent(ME, key, { messageIds: ids, messages });
		};
		const watched = async (id: string) => (await ask('GET', `/letters/${id}`)).body.watch !== null;

		// Everything that a receiver can know of letters; B is only waited for.
		await place.receiver.pulled();
		await wait(1, [A]);
		await wait(2, [A, B]);
		await wait(3, [C, D]);
		for (const id of [A, C, D])
			await ask('PUT', `/watches/${id}`, { customerReference: markOf(id) });
		for (const id of [A, B, C, D]) {
			expect(await emit(aes('sent', id))).toBe(1);
			expect(await emit(stray(id, { text: markOf(id) }))).toBe(1);
			expect(await emit(aes('received', id))).toBe(1);
		}
		await told('k1', [A]);
		await told('k2', [A, B]);
		await told('k3', [B]);
		expect((await place.receiver.pulled({ atOnce: 5 })).batches).toHaveLength(5);
		await place.restart();
		expect(await watched(B)).toBe(true);

		const erased = [A, C, D];
		expect((await ask('DELETE', `/letters/${A}`)).body).toMatchObject({ erased: [A] });
		const file = `/letters?fileReference=${encodeURIComponent('file "2"')}`;
		expect((await ask('DELETE', file)).body).toMatchObject({ erased: [C, D] });
		const isMarked = (row: string) => erased.some((id) => row.includes(markOf(id)));
		expect((await place.rows()).filter(isMarked)).toEqual([]);

		// What comes of them later, also after a restart.
		for (let time = 0; time < 2; time++) {
			for (const id of erased) {
				expect(await emit(aes('opened', id))).toBe(0);
				expect(await emit(stray(id, { time }))).toBe(0);
				expect((await ask('PUT', `/watches/${id}`, {})).status).toBe(410);
				expect((await wait(9, [B, id])).body).toMatchObject({ code: 'message-erased' });
			}
			await place.restart();
		}
		await told('k4', [B, C]);
		clock.advance(DAY / 24);
		await place.receiver.atRest();
		const outcomes = [...(await wake(place)), ...(await wake(place))];
		expect(outcomes.map(({ id, outcome }) => `${id} ${outcome}`).sort()).toEqual(
			[A, A, C, D]
				.map((id) => `${id} erased`)
				.concat(`${B} none`)
				.sort(),
		);
		for (const { id, ...outcome } of outcomes) {
			if (id !== B) expect(outcome).toMatchObject({ status: null, event: null, eventId: null });
		}

		const waits = (await ask('GET', '/waits')).body.data as object[];
		expect(waits).toMatchObject([{ waitId: waitId(2), state: 'done' }]);
		const { get } = claimClient(place.receiver);
		const answers = await Promise.all(
			['k1', 'k2', 'k3', 'k4'].map(async (key) => (await get(key)).answer),
		);
		const kept = { messageIds: [B] };
		expect(answers).toMatchObject([{ erased: true }, kept, kept, kept]);
		const events = (await place.receiver.events()).map(({ messageId }) => messageId);
		expect(events.filter((id) => id !== null)).toEqual([B, B]);
		expect([await watched(A), await watched(B)]).toEqual([false, true]);
		// The tombstones, by which what comes later is known.
		const rows = await place.rows();
		expect(rows.filter(isMarked)).toEqual([]);
		for (const id of erased) expect(rows.filter((row) => row.includes(id))).toHaveLength(1);
	});

	it('an erased letter goes from what n8n is yet to get, refused and got, and leaves the others there', async () => {
		const { clock, receiver } = await Restartable.on(kind);
		const wants = { events: ['*'], batchSize: 2 };
		const sent = (messageId: number) => ({ event: 'aes_sent', messageId });
		await receiver.pull({ wants });
		await receiver.emit([sent(1), sent(2), stray(idOf(3)), sent(4), ...[5, 6, 7, 8].map(sent)]);
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

	it('what executions waited for has nothing of an erased letter once they are awake, also if they were given up before', async () => {
		const place = await Restartable.on(kind);
		const { clock, receiver } = place;
		const wait = (n: number, letters: number[]) =>
			receiver.manage('PUT', `/waits/${waitId(n)}`, waitFor(clock, letters.map(idOf)));
		const stateOf = async (n: number) =>
			(await receiver.manage('GET', `/waits/${waitId(n)}`)).body.state;
		await wait(1, [1]);
		await wait(2, [1, 2]);
		await receiver.emit([1, 2].map((messageId) => ({ event: 'aes_opened', messageId })));
		await until(async () => (await stateOf(2)) === 'queued', 'they are to be woken');
		await wake(place);
		expect([await stateOf(1), await stateOf(2)]).toEqual(['done', 'done']);
		await wait(3, [1, 3]);
		await receiver.manage('DELETE', `/letters/${idOf(1)}`);
		expect([await stateOf(1), await stateOf(2)]).toEqual([undefined, 'done']);
		await until(async () => {
			clock.advance(DAY / 2);
			await receiver.atRest();
			return (await stateOf(3)) === 'dead';
		}, 'it is given up');
		const { batch } = (await receiver.manage('GET', `/waits/${waitId(3)}`)).body;
		await receiver.manage('POST', `/batches/${String(batch)}/retry`);
		// Its node wants to hear of all that it waits for.
		expect((await wake(place)).map(({ id }) => id)).toEqual([idOf(1), idOf(3)]);
		// Its tombstone.
		expect((await place.rows()).filter((row) => row.includes(idOf(1)))).toHaveLength(1);
	});

	it('what comes of an erased letter is discarded for a year, and its number forgotten then', async () => {
		const place = await Restartable.on(kind);
		await place.receiver.manage('DELETE', `/letters/${idOf(1)}`);
		const accepted = async () =>
			(await place.receiver.emit({ event: 'aes_sent', messageId: 1 })).body.accepted;
		place.clock.advance(200 * DAY);
		// Erased once more, as after a backup was restored: from now on.
		await place.receiver.manage('DELETE', `/letters/${idOf(1)}`);
		place.clock.advance(360 * DAY);
		await place.receiver.atRest();
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
		expect(body).toMatchObject({ erased: letters.slice(0, 115).map(idOf) });
		const left = await receiver.events();
		expect(left.map(({ messageId }) => messageId).sort()).toEqual(
			[116, 117, 118, 119, 120, 500].map(idOf),
		);
	});
});
