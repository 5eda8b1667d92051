// How often the receiver asks, and what holds it up: a service that answers over HTTP whatever a test
// wants, a clock moved by hand.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WatchView } from '../../../webhook-receiver/src/core/event-contract.ts';
import { root } from '../../n8n/folders.ts';
import { isNightly } from '../../support/ring.ts';
import { ManualClock, cleanUp, idOf, idsTo, start, until } from './harness.ts';
import { pollService } from './watching/service.ts';
import type { Trouble } from './watching/service.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ID = idOf(1);

jest.setTimeout(300_000);
afterEach(cleanUp);

/** A receiver that watches so many letters, all of them sent. */
async function watching(count: number, more: Record<string, string> = {}) {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = service.env({ WATCH_RATE_LIMIT: '60000', RETENTION: '365d', ...more });
	const receiver = await start({ env, dependencies: { clock } });
	const ids = idsTo(count);
	for (const id of ids) service.messages.set(id, { status: 'SENT', evidences: ['SENT'] });
	const messages = ids.map((messageId) => ({ messageId, messageType: 'LRE' }));
	await receiver.manage('POST', '/watches', { messages });
	const view = async (id = ID) =>
		(await receiver.manage('GET', `/watches/${id}`)).body as unknown as WatchView;
	/** Lets time pass, and what is due in each step of it be done. */
	const pass = async (milliseconds: number, step = SECOND) => {
		for (const to = clock.now() + milliseconds; clock.now() < to; ) {
			clock.advance(step);
			await receiver.atRest();
		}
	};
	/** Lets the next poll of a letter be made; returns when, or null where none will be. */
	const poll = async (id = ID) => {
		const { nextPollAt } = await view(id);
		if (nextPollAt === null) return null;
		const count = () => service.polls.filter(({ messageId }) => messageId === id).length;
		const before = count();
		clock.advance(Math.max(0, Date.parse(nextPollAt) - clock.now()));
		while (count() === before) {
			await receiver.atRest();
			if (count() === before) clock.advance(SECOND);
		}
		await receiver.atRest();
		return clock.now();
	};
	return { clock, service, receiver, ids, view, pass, poll };
}

it('letters are polled a minute after each other, give or take a fifth, and drift apart', async () => {
	const { service, clock, pass, ids } = await watching(40);
	const begun = clock.now();
	await pass(73 * SECOND);
	const first = ids.map((id) => service.polls.find(({ messageId }) => messageId === id)?.at ?? 0);
	expect(Math.min(...first) - begun).toBeGreaterThanOrEqual(48 * SECOND);
	expect(Math.max(...first) - begun).toBeLessThanOrEqual(73 * SECOND);
	expect(new Set(first).size).toBeGreaterThanOrEqual(10);
});

// On the real clock, since it is about who wakes whom: a poll is in progress when the watcher looks
// for the next one, which is for the same letter.
it('a letter alone is polled again at its pace', async () => {
	const service = await pollService(Date.now);
	const env = service.env({ WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' });
	const receiver = await start({ env });
	service.messages.set(ID, { status: 'SENT', evidences: ['SENT'] });
	await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'LRE' });
	await until(() => service.polls.length >= 3, 'it is polled for the third time');
});

describe('what docs/cost.md says', () => {
	const AFTER = [1, 24, 3 * 24, 15 * 24, 30 * 24];
	const document = readFileSync(join(root, 'docs/cost.md'), 'utf8');
	const rows = [...document.matchAll(/^\| `(0s:[^`]+)`( \(default\))?[^|]*\|(.+)\|$/gm)].map(
		([, delays = '', isDefault, cells = '']) => ({
			delays,
			isDefault: isDefault !== undefined,
			counts: cells.split('|').map(Number),
		}),
	);
	// By day as far as there are a few hundred polls.
	const mostPolls = isNightly ? 1_000 : 200;

	it('has two rows', () => expect(rows.map(({ isDefault }) => isDefault)).toEqual([true, false]));

	it.each(isNightly ? rows : rows.slice(0, 1))(
		'of the polls with $delays',
		async ({ delays, isDefault, counts }) => {
			const { poll, clock } = await watching(1, isDefault ? {} : { WATCH_DELAYS: delays });
			const begun = clock.now();
			let polls = 0;
			for (const [place, count] of counts.entries()) {
				if (count > mostPolls) break;
				const until = begun + (AFTER[place] ?? 0) * HOUR;
				// The one that sees the outcome is the first from then on.
				while (clock.now() < until && (await poll()) !== null) polls++;
				expect(polls / count).toBeCloseTo(1, 1);
			}
			expect(polls).toBeGreaterThan(100);
		},
	);
});

it.each<[string, Trouble, RegExp | string]>([
	[
		'evidence of no use',
		{ status: 200, body: { id: ID, status: 'SENT', evidences: [null] } },
		'SENT',
	],
	['a status of unknown name', { status: 200, body: { id: ID, status: 'HELD' } }, 'HELD'],
	['another id', { status: 200, body: { id: '2', status: 'SENT' } }, /for another message, 2$/],
	['no id', { status: 200, body: { status: 'UP' } }, /^the service answered /],
	['no status', { status: 200, body: { id: ID } }, /^the service answered /],
	['a blank status', { status: 200, body: { id: ID, status: ' ' } }, /^the service answered /],
	[
		'a status that is no text',
		{ status: 200, body: { id: ID, status: {} } },
		/^the service answered /,
	],
	[
		'a status without end',
		{ status: 200, body: { id: ID, status: 'x'.repeat(101) } },
		/^the service answered /,
	],
	['a list', { status: 200, body: [{ id: ID, status: 'SENT' }] }, /^the service answered /],
	['a page', { status: 200, body: '<html>' }, /^the service answered /],
	['201', { status: 201, body: { id: ID, status: 'SENT' } }, /^the service answered /],
	['a redirect', { status: 302, headers: { location: '/else' } }, /^the service answered /],
	[
		'404 of another kind',
		{ status: 404, body: { code: 'no-such-route' } },
		/^the service answered /,
	],
	[
		'404 of its own',
		{ status: 404, body: { code: 'message-not-found' } },
		/knows no such message.*\(1 answers/,
	],
	['403', { status: 403 }, /403/],
	['no connection', 'reset', /./],
	[
		'an answer without end',
		{ status: 200, body: { id: ID, status: 'SENT', more: 'x'.repeat(300_000) } },
		/./,
	],
])('[READ-02][READ-03] to a poll the service answers %s', async (_, answer, said) => {
	const { service, poll, view } = await watching(1);
	service.trouble = () => answer;
	await poll();
	const { status, problem } = await view();
	if (typeof said === 'string') expect([status, problem]).toEqual([said, null]);
	else expect([status, problem]).toEqual([null, expect.stringMatching(said)]);
});

it('a letter that cannot be read is tried soon, then less and less often, and holds up no other', async () => {
	const { service, poll, pass, ids } = await watching(2);
	const [odd = '', other = ''] = ids;
	service.trouble = (id) => (id === odd ? { status: 200, body: '<html>' } : null);
	const times: number[] = [];
	for (let n = 0; n < 12; n++) times.push((await poll(odd)) ?? 0);
	const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
	expect(pauses[0]).toBeLessThanOrEqual(37 * SECOND);
	expect(pauses.at(-1)).toBeGreaterThanOrEqual(48 * MINUTE);
	expect(pauses.at(-1)).toBeLessThanOrEqual(73 * MINUTE);
	const before = service.polls.length;
	await pass(15 * MINUTE, MINUTE);
	expect(service.polls.slice(before).some(({ messageId }) => messageId === other)).toBe(true);
});

it('[READ-03] one that the service does not know is looked for over hours, then no more', async () => {
	const { service, poll, clock, view } = await watching(1);
	const begun = clock.now();
	service.trouble = () =>
		service.polls.length === 4
			? { status: 500 }
			: { status: 404, body: { code: 'message-not-found' } };
	const times: number[] = [];
	for (let time = await poll(); time !== null; time = await poll()) times.push(time);
	expect(await view()).toMatchObject({ endReason: 'message-not-found', nextPollAt: null });
	expect(times.length).toBeGreaterThanOrEqual(6);
	const [first = 0, second = 0] = times;
	expect(second - first).toBeGreaterThanOrEqual(8 * MINUTE);
	expect((times.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(6 * HOUR);
	expect((times.at(-1) ?? 0) - begun).toBeLessThan(10 * HOUR);
});

it('[READ-03] and starts over once the service has known it', async () => {
	const { service, poll, view } = await watching(1);
	service.trouble = () =>
		service.polls.length === 5 ? null : { status: 404, body: { code: 'message-not-found' } };
	const times: number[] = [];
	for (let time = await poll(); time !== null; time = await poll()) times.push(time);
	expect((times.at(-1) ?? 0) - (times[5] ?? 0)).toBeGreaterThanOrEqual(6 * HOUR);
	expect(await view()).toMatchObject({ endReason: 'message-not-found' });
});

it.each<[string, Trouble, number]>([
	['asks for 90 seconds', { status: 429, headers: { 'retry-after': '90' } }, 90 * SECOND],
	['asks for them with 503', { status: 503, headers: { 'retry-after': '90' } }, 90 * SECOND],
	['asks for days', { status: 429, headers: { 'retry-after': '324000' } }, HOUR],
	['asks for nothing', { status: 429, headers: { 'retry-after': '0' } }, SECOND],
	['does not say for how long', { status: 429 }, 10 * SECOND],
	['does not accept the token', { status: 401 }, 5 * MINUTE],
])('a service that %s is left alone for as long, by all letters', async (_, trouble, pause) => {
	const { service, clock, receiver, pass } = await watching(40);
	service.trouble = () => trouble;
	while (service.polls.length === 0) await pass(20 * SECOND, 20 * SECOND);
	expect(service.polls.length).toBeGreaterThan(1);
	// All that were under way together make one pause.
	const held = await receiver.manage('GET', '/watches/service');
	expect(Date.parse(String(held.body.noPollBefore)) - (service.polls.at(-1)?.at ?? 0)).toBe(pause);
	const { length } = service.polls;
	clock.advance(pause - 1);
	await receiver.atRest();
	expect(service.polls).toHaveLength(length);
});

it('a service that answers nobody is asked less and less often, by one letter', async () => {
	const { service, clock, receiver, pass } = await watching(6);
	service.trouble = () => ({ status: 500 });
	await pass(80 * SECOND, 10 * SECOND);
	const pauses: number[] = [];
	for (let n = 0; n < 5; n++) {
		const { body } = await receiver.manage('GET', '/watches/service');
		const { length } = service.polls;
		const pause = Date.parse(String(body.noPollBefore)) - clock.now();
		pauses.push(pause);
		clock.advance(pause - 1);
		await receiver.atRest();
		expect(service.polls).toHaveLength(length);
		// None of the letters need be due just then.
		while (service.polls.length === length) await pass(SECOND);
		expect(service.polls).toHaveLength(length + 1);
	}
	// Of the first one some had passed.
	const [, ...whole] = pauses;
	const twice = whole.map((pause) => Math.min(2 * pause, MINUTE));
	expect([whole.slice(1), whole.at(-1)]).toEqual([twice.slice(0, -1), MINUTE]);
	service.trouble = () => null;
	await pass(3 * MINUTE, 10 * SECOND);
	expect((await receiver.manage('GET', '/watches/service')).body).toMatchObject({ problem: null });
});

it('a watch ends with the first poll after WATCH_LIMIT, counted from the last change', async () => {
	const { service, receiver, poll, view, clock } = await watching(1, {
		WATCH_LIMIT: '10h',
		WATCH_DELAYS: '0s:4h',
	});
	const begun = clock.now();
	await poll();
	service.messages.set(ID, { status: 'RECEIVED', evidences: ['SENT'] });
	const changed = (await poll()) ?? 0;
	let last = changed;
	for (let time = await poll(); time !== null; time = await poll()) last = time;
	expect(await view()).toMatchObject({ endReason: 'limit' });
	expect(changed - begun).toBeGreaterThan(5 * HOUR);
	expect(last - changed).toBeGreaterThanOrEqual(10 * HOUR);
	expect(last - changed).toBeLessThan(15 * HOUR);
	// Watched again, it has as long again.
	await receiver.manage('PUT', `/watches/${ID}`, {});
	await poll();
	expect(await view()).toMatchObject({ endReason: null });
});

it('a letter whose poll is under way is not asked for once more', async () => {
	const { service, receiver, clock, view } = await watching(1);
	let answer = () => {};
	const held = new Promise<void>((resolve) => (answer = resolve));
	service.beforeAnswer = () => held;
	await until(() => {
		clock.advance(SECOND);
		return service.polls.length > 0;
	}, 'its poll is under way');
	for (let looks = 0; looks < 5; looks++) {
		clock.advance(SECOND);
		await view();
	}
	answer();
	await receiver.atRest();
	expect(service.polls).toHaveLength(1);
});

it('a watch that is ended while its poll is under way stays ended', async () => {
	const { service, receiver, poll, view } = await watching(1);
	service.beforeAnswer = async () => void (await receiver.manage('DELETE', `/watches/${ID}`));
	await poll();
	expect(await view()).toMatchObject({ endReason: 'removed', nextPollAt: null, status: null });
	expect(await receiver.events()).toEqual([]);
});

it('[STAT-05] a poll that a webhook has overtaken says nothing: it may have seen what was before', async () => {
	const { service, receiver, clock, poll } = await watching(1);
	await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'AES' });
	service.messages.set(ID, { status: 'RECEIVED' });
	await poll();
	service.beforeAnswer = async () => {
		service.beforeAnswer = null;
		service.messages.set(ID, { status: 'UNDELIVERED' });
		const timestamp = new Date(clock.now()).toISOString();
		await receiver.emit({ event: 'aes_undelivered', messageId: ID, timestamp });
	};
	await poll();
	await poll();
	const told = (await receiver.events()).reverse().map(({ status }) => status);
	expect(told).toEqual(['SENT', 'RECEIVED', 'UNDELIVERED']);
});

it('after a webhook of a step before which one is missing, the service is asked within the minute', async () => {
	const { receiver, clock, view } = await watching(1, { WATCH_DELAYS: '0s:1h' });
	await receiver.manage('PUT', `/watches/${ID}`, { messageType: 'AES' });
	const at = (event: string) => ({
		event,
		messageId: ID,
		timestamp: new Date(clock.now()).toISOString(),
	});
	await receiver.emit(at('aes_sent'));
	const usual = Date.parse(String((await view()).nextPollAt));
	expect(usual - clock.now()).toBeGreaterThan(40 * MINUTE);
	await receiver.emit(at('aes_opened'));
	expect(Date.parse(String((await view()).nextPollAt)) - clock.now()).toBe(30 * SECOND);
});
