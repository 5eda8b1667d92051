// What needs a person: told once through the log, whichever receiver sees it, over restarts and when all that it was
// about is gone. What begins when, and for whom: alerts.test.ts.
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { itOr } from '../../support/skipped.ts';
import { KEY, ManualClock, cleanUp, idOf, start, until, waitFor } from './harness.ts';
import { Restartable } from './restartable.ts';
import { STORES, freshDatabase } from './store-environment.ts';

const aes = (messageId: number) => ({ event: 'aes_sent', messageId });
const MINUTE = 60_000;
const HOUR = 3_600_000;
const OTHER = 'n8n~flow~other~production';

jest.setTimeout(120_000);
afterEach(cleanUp);

type Started = Awaited<ReturnType<typeof start>>;

const kindsOf = (events: readonly DeliveryEvent[]) =>
	events
		.filter(({ type }) => type === 'receiver.attention')
		.map(({ attention }) => `${attention?.kind} ${attention?.state}`);
const toldBy = async ({ events }: Pick<Started, 'events'>) => kindsOf((await events()).reverse());

/** Lets so much time pass, in steps, each with its look at what needs a person. */
async function pass(receiver: Started, clock: ManualClock, milliseconds: number, step = MINUTE) {
	for (let passed = 0; passed < milliseconds; passed += step) {
		clock.advance(step);
		await receiver.atRest();
	}
}

describe.each(STORES)('on $name', (kind) => {
	/** A workflow whose batches n8n refuses for good. */
	const refuse = async ({ emit, pulled }: Started, ...messages: number[]) => {
		await emit(messages.map(aes));
		await refusePulled({ pulled });
	};
	const refusePulled = async ({ pulled }: Pick<Started, 'pulled'>, key = KEY) => {
		const { batches } = await pulled({ atOnce: 9, name: 'Invoices' }, { key });
		const settle = batches.map(({ id }) => ({ batch: id, outcome: 'term' as const }));
		await pulled({ settle, atOnce: 0, name: 'Invoices' }, { key });
	};

	it('tells once what begins and once that it is over, over restarts', async () => {
		const place = await Restartable.on(kind);
		const { clock } = place;
		await place.receiver.pulled({ name: 'Invoices' });
		await place.receiver.pulled({ name: 'Invoices' }, { key: OTHER });
		await refuse(place.receiver, 1);
		await refusePulled(place.receiver, OTHER);
		await pass(place.receiver, clock, 3 * MINUTE);
		const begun = ['batches-dead begun', 'batches-dead begun'];
		expect(await toldBy(place.receiver)).toEqual(begun);
		await place.restart();
		await pass(place.receiver, clock, 3 * MINUTE);
		expect(await toldBy(place.receiver)).toEqual(begun);
		await place.receiver.manage('POST', `/batches/retry?state=dead&consumer=${KEY}`);
		await pass(place.receiver, clock, 3 * MINUTE);
		// That of the other lasts.
		expect(await toldBy(place.receiver)).toEqual([...begun, 'batches-dead resolved']);
	});

	it('says how things stand as of the last look', async () => {
		const place = await Restartable.on(kind);
		const { clock, receiver } = place;
		const texts = async () => {
			await pass(receiver, clock, 2 * MINUTE);
			const { data } = (await receiver.manage('GET', '/attention')).body;
			return (data as Array<{ text: string }>).map(({ text }) => text);
		};
		await receiver.pulled({ name: 'Invoices' });
		await refuse(receiver, 1);
		expect(await texts()).toEqual([expect.stringContaining('for one batch,')]);
		await refuse(receiver, 2, 3);
		expect(await texts()).toEqual([expect.stringContaining('for 3 batches,')]);
	});

	it('what a forgotten workflow does not get is on record, and told, once it is forgotten', async () => {
		const place = await Restartable.on(kind, { RETENTION: '2d' });
		const { clock, receiver } = place;
		const workflows = Object.entries({ Invoices: KEY, Reminders: OTHER });
		for (const [name, key] of workflows) {
			await receiver.pulled({ name }, { key });
			await receiver.pulled({ leaving: true, name }, { key });
		}
		// Not so old as to be gone before the workflow.
		await pass(receiver, clock, 24 * HOUR, HOUR);
		await receiver.emit(aes(1));
		await until(async () => {
			await pass(receiver, clock, HOUR, HOUR);
			return (await receiver.consumers()).length === 0;
		}, 'it is forgotten');
		await pass(receiver, clock, 2 * HOUR, 10 * MINUTE);
		const lost = (await receiver.events()).filter((one) => one.attention?.kind === 'events-lost');
		const text = expect.stringMatching(/lost .*away for longer than RETENTION/);
		expect(lost.map(({ attention }) => attention?.workflow?.name).sort()).toEqual([
			'Invoices',
			'Reminders',
		]);
		for (const { attention } of lost) expect(attention).toMatchObject({ text });
	});

	it('dead batches that grow too old are lost, and told together', async () => {
		const place = await Restartable.on(kind, { RETENTION: '2d' });
		const { clock, receiver } = place;
		await receiver.pulled({ name: 'Invoices' });
		await refuse(receiver, 1, 2);
		await until(async () => {
			await pass(receiver, clock, HOUR, HOUR);
			await receiver.pulled({ atOnce: 0, name: 'Invoices' });
			return (await receiver.consumers())[0].dead === 0;
		}, 'they are gone');
		await pass(receiver, clock, 2 * HOUR, 10 * MINUTE);
		const lost = (await receiver.events()).filter((one) => one.attention?.kind === 'events-lost');
		expect(lost).toMatchObject([{ attention: { text: expect.stringMatching(/2 batches/) } }]);
	});
});

it('what a workflow loses several times within an hour is told together', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	for (const message of [1, 2]) {
		await receiver.pulled({ name: 'Invoices' });
		await receiver.pulled({ leaving: true, name: 'Invoices' });
		await receiver.emit(aes(message));
		await receiver.manage('DELETE', `/consumers/${KEY}`);
	}
	await pass(receiver, clock, 65 * MINUTE, 5 * MINUTE);
	expect((await receiver.events()).flatMap(({ attention }) => attention ?? [])).toMatchObject([
		{ kind: 'events-lost', text: expect.stringContaining('up to 2 events') },
	]);
});

it('what lasts longer than RETENTION stays on record, and is not told again', async () => {
	const clock = new ManualClock();
	const receiver = await start({ env: { RETENTION: '1d' }, dependencies: { clock } });
	const claim = { state: 'leaving', holder: 'holder-of-a-claim-0001', leaseSeconds: 30 };
	await receiver.manage('PUT', '/claims/invoice-7', claim);
	const since = async () => {
		const { data } = (await receiver.manage('GET', '/attention')).body;
		return (data as Array<{ since: string }>).map((one) => one.since);
	};
	await pass(receiver, clock, HOUR, 5 * MINUTE);
	expect(await toldBy(receiver)).toEqual(['claims-unknown begun']);
	const begun = await since();
	for (let hour = 0; hour < 27; hour++) {
		await pass(receiver, clock, HOUR, HOUR);
		expect(await since()).toEqual(begun);
	}
	// What told it is as old.
	expect(await toldBy(receiver)).toEqual([]);
});

it('tells of events and of an n8n that were refused, and why, from the first second', async () => {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const post = (signature: string) =>
		fetch(`${receiver.url}/events`, {
			method: 'POST',
			headers: { 'x-webhook-signature': signature, 'x-webhook-timestamp': '1769851800' },
			body: '{}',
		});
	for (const signature of ['', 'ab'.repeat(32)]) expect((await post(signature)).status).toBe(401);
	const old = 'an-old-token-of-tests';
	expect((await receiver.manage('POST', `/consumers/${KEY}/pull`, {}, old)).status).toBe(401);
	const texts = async () => {
		const { data } = (await receiver.manage('GET', '/attention')).body;
		return (data as Array<{ text: string }>).map(({ text }) => text);
	};
	await pass(receiver, clock, MINUTE);
	expect((await texts()).sort()).toEqual([
		expect.stringMatching(
			/^Events were refused .*\(2, last 09:30 UTC, hmac: signature does not match\)/,
		),
		expect.stringMatching(/^n8n asked for events and was refused .*\(1, last 09:30 UTC/),
	]);
	expect(JSON.stringify(await texts())).not.toContain(old);
	// In the figures of the last look.
	await post('cd'.repeat(32));
	await pass(receiver, clock, MINUTE);
	expect((await texts()).sort()[0]).toContain('(3, last');
	await pass(receiver, clock, HOUR + 3 * MINUTE);
	expect(await texts()).toEqual([]);
});

it('two receivers on one PostgreSQL tell it once', async () => {
	const clock = new ManualClock();
	const env = { DATABASE_URL: await freshDatabase() };
	const [receiver, other] = await Promise.all(
		[1, 2].map(() => start({ env, dependencies: { clock } })),
	);
	await receiver.pulled();
	await receiver.pulled({ leaving: true });
	await pass(other, clock, 65 * MINUTE, 5 * MINUTE);
	expect(await toldBy(receiver)).toEqual(['workflow-away begun']);
	expect((await receiver.consumers())[0]).toMatchObject({ key: KEY });
});

describe('through the receiver', () => {
	it('tells of executions that were not woken, and of keys of unknown outcome, until a person has seen to them', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const toldOf = async (kind: string) =>
			kindsOf((await receiver.events()).reverse()).filter((one) => one.startsWith(kind));
		const metric = async (name: string) => {
			clock.advance(2_000);
			return (await receiver.metrics()).match(new RegExp(`^receiver_${name} (\\d+)$`, 'm'))?.[1];
		};
		const deadline = new Date(clock.now() + 1000).toISOString();
		const wait = waitFor(clock, [idOf(1)], { deadline });
		await receiver.manage('PUT', '/waits/wait-0000-0000-0001', wait);
		const holder = 'holder-of-a-claim-0001';
		const leaving = { state: 'leaving', holder, leaseSeconds: 30 };
		await receiver.manage('PUT', '/claims/invoice-7', leaving);
		expect([await metric('wake_ups_dead'), await metric('claims_unknown')]).toEqual(['0', '0']);

		// No n8n pulls, as one that has opened no workflow: its sleepers have no consumer that could be away.
		await pass(receiver, clock, 59 * MINUTE, MINUTE);
		expect(await toldOf('wake-ups')).toEqual([]);
		await pass(receiver, clock, 3 * MINUTE, MINUTE);
		expect(await toldOf('wake-ups')).toEqual(['wake-ups-late begun']);
		const { data } = (await receiver.manage('GET', '/attention')).body;
		expect(data).toContainEqual(
			expect.objectContaining({
				kind: 'wake-ups-late',
				text: expect.stringMatching(
					/^One sleeping execution should have been woken since .* still sleeps/,
				),
				advice: expect.stringContaining('unpublish and publish'),
			}),
		);

		clock.advance(25 * HOUR);
		const all = async (what: string) =>
			(await toldOf('wake-ups-dead')).includes(`wake-ups-dead ${what}`) &&
			(await toldOf('claims-unknown')).includes(`claims-unknown ${what}`);
		await receiver.atRest();
		// Nobody has asked for a day: it looks again once somebody does.
		await toldOf('wake-ups');
		clock.advance(61_000);
		await until(() => all('begun'), 'both are told');
		expect(await toldOf('wake-ups-late')).toEqual([
			'wake-ups-late begun',
			'wake-ups-late resolved',
		]);
		expect([await metric('wake_ups_dead'), await metric('claims_unknown')]).toEqual(['1', '1']);
		const attention = async () => (await receiver.manage('GET', '/attention')).body;
		expect(await attention()).toMatchObject({ deadWakeUps: 1 });

		const { body } = await receiver.manage('GET', '/batches?state=dead');
		const [{ id }] = body.data as Array<{ id: string }>;
		await receiver.manage('POST', `/batches/${id}/retry`);
		await receiver.manage('DELETE', '/claims/invoice-7');
		clock.advance(61_000);
		await until(() => all('resolved'), 'both are over');
		expect(await attention()).toMatchObject({ deadWakeUps: 0 });
		expect([await metric('wake_ups_dead'), await metric('claims_unknown')]).toEqual(['0', '0']);
	});

	it('a receiver that was away itself gives every n8n time to come back', async () => {
		const clock = new ManualClock();
		const first = await start({ dependencies: { clock } });
		await first.pull();
		await first.close();
		clock.advance(5 * HOUR);
		const second = await start({ folder: first.folder, dependencies: { clock } });
		clock.advance(60_000);
		void second.pulled({ openMs: 25_000 }).catch(() => undefined);
		await until(async () => (await second.consumers())[0].held, 'n8n is back');
		clock.advance(60_000);
		await second.consumers();
		expect(await second.events()).toEqual([]);
	});

	const disk = mountSmallDisk(64);
	afterAll(() => disk?.remove());
	itOr(disk === null && 'no right to mount a small disk: run as root')(
		'a disk that is nearly full is told of, a backup without room on it is refused, and it is not ready for what has no room',
		async () => {
			const clock = new ManualClock();
			const folder = String(disk?.folder);
			const receiver = await start({ folder, dependencies: { clock } });
			await pass(receiver, clock, 3 * MINUTE);
			expect(kindsOf(await receiver.events())).toEqual(['store-nearly-full begun']);
			disk?.fill();
			const backup = await receiver.manage('GET', '/backup');
			expect(backup).toMatchObject({ status: 507, body: { code: 'no-room-for-backup' } });

			// Room for the check, and none for an event.
			const ballast = join(folder, 'ballast');
			truncateSync(ballast, statSync(ballast).size - 400_000);
			const large = { event: 'aes_sent', messageId: 1, text: 'x'.repeat(700_000) };
			const readiness = async () => (await fetch(`${receiver.url}/readyz`)).status;
			await until(async () => (await readiness()) === 200, 'the check finds room');
			expect((await receiver.emit(large)).status).toBe(503);
			expect(await readiness()).toBe(503);
			expect((await receiver.emit({ event: 'aes_sent', messageId: 2 })).status).toBe(200);
			expect(await readiness()).toBe(200);
			disk?.free();
			expect((await receiver.emit(large)).status).toBe(200);
		},
	);
});
