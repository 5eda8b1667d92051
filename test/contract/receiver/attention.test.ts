// What needs a person: told once through the log, whichever receiver sees it, and only to who asks.
import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import type { Snapshot } from '../../../webhook-receiver/src/attention/attention.ts';
import { openPostgres } from '../../../webhook-receiver/src/operation/store.ts';
import type { Store } from '../../../webhook-receiver/src/operation/store.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { itOr } from '../../support/skipped.ts';
import { ENCRYPTION_KEY, ManualClock, cleanUp, start, until } from './harness.ts';
import { STORES, freshDatabase, type Opened } from './store-environment.ts';
import { arrival, pullOf } from './stores.ts';
import { pollService } from './watching/service.ts';

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const aes = (messageId: number) => ({ event: 'aes_sent', messageId });
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SPACE = { used: 0, free: null };
const NONE = { deadWakeUps: 0, unknownClaims: 0, watching: null, space: SPACE };

async function readingOf(store: Store, at: number): Promise<Snapshot> {
	return { ...NONE, at, consumers: await store.consumers.list(at) };
}

type Started = Awaited<ReturnType<typeof start>>;

const kindsOf = (events: readonly DeliveryEvent[]) =>
	events
		.filter(({ type }) => type === 'receiver.attention')
		.map(({ attention }) => `${attention?.kind} ${attention?.state}`);

describe.each(STORES)('on $name', (kind) => {
	let opened: Opened;
	const store = () => opened.store;
	beforeEach(async () => {
		opened = await kind.open();
	});
	afterEach(() => opened.end());

	/** A workflow with a dead batch and one event that it has not reached. */
	async function workflowWithDead(): Promise<void> {
		const { consumers } = store();
		await consumers.take(pullOf('flow', { url: 'https://n8n.example/workflow/1' }), NOW);
		await store().intake.add(arrival(NOW, aes(1), aes(2)));
		const taken = await consumers.take(pullOf('flow'), NOW);
		if (taken.kind !== 'taken') throw new Error('The workflow is held.');
		const [{ id: batch }] = taken.batches;
		await consumers.settle('flow', 'first-n8n', [{ batch, outcome: 'term' }], NOW);
		await consumers.release('flow', 'first-n8n', NOW);
	}

	it('tells once what begins and once that it is over, over restarts', async () => {
		await workflowWithDead();
		const tell = async (at: number) => store().attention.tell(await readingOf(store(), at), at);
		expect(await tell(NOW + 1000)).toHaveLength(1);
		expect(await tell(NOW + HOUR)).toHaveLength(1);
		opened = await opened.reopen();
		expect(await tell(NOW + 2 * HOUR)).toEqual([]);
		await store().consumers.retryDead(null, NOW + 2 * HOUR);
		expect(await tell(NOW + 3 * HOUR)).toHaveLength(1);
		const events = (await store().log.slice({ limit: 9, before: null })).reverse();
		expect(kindsOf(events)).toEqual([
			'batches-dead begun',
			'workflow-away begun',
			'batches-dead resolved',
		]);
		expect(events[3]).toMatchObject({
			messageId: null,
			attention: { workflow: { name: 'name of flow', node: 'Trigger' } },
		});
		expect(await store().attention.open()).toMatchObject([{ kind: 'workflow-away' }]);
		const over = await store().attention.over({ limit: 9, before: null });
		expect(over).toMatchObject([{ kind: 'batches-dead', endedAt: NOW + 3 * HOUR }]);
	});

	it('what a forgotten workflow does not get is on record at once, and told within two hours', async () => {
		await workflowWithDead();
		const later = NOW + 31 * DAY;
		await store().clean(30 * DAY, later);
		expect(await store().consumers.list(later)).toEqual([]);
		expect(await store().attention.over({ limit: 9, before: null })).toMatchObject([
			{ kind: 'events-lost', subject: 'flow', workflow: { name: 'name of flow' } },
		]);
		const empty = { ...NONE, at: later + HOUR, consumers: [] };
		const [told] = await store().attention.tell(empty, later + HOUR);
		expect(told.attention).toMatchObject({
			kind: 'events-lost',
			text: expect.stringMatching(/lost .*away for longer than RETENTION/),
		});
		expect(
			await store().attention.tell({ ...empty, at: later + 2 * HOUR }, later + 2 * HOUR),
		).toEqual([]);
	});

	it('dead batches that grow too old are lost, and told together', async () => {
		await store().consumers.take(pullOf('flow'), NOW);
		await store().intake.add(arrival(NOW, aes(1), aes(2)));
		for (const at of [NOW, NOW + 1000]) {
			const taken = await store().consumers.take(pullOf('flow'), at);
			if (taken.kind !== 'taken') throw new Error('The workflow is held.');
			const settle = taken.batches.map(({ id }) => ({ batch: id, outcome: 'term' as const }));
			await store().consumers.settle('flow', 'first-n8n', settle, at);
		}
		for (const at of [NOW + 500, NOW + 5000]) {
			await store().consumers.take(pullOf('flow'), at + 30 * DAY);
			await store().clean(30 * DAY, at + 30 * DAY);
		}
		expect(await store().attention.over({ limit: 9, before: null })).toMatchObject([
			{ kind: 'events-lost', subject: 'flow', count: 2, events: 0 },
		]);
	});
});

it('two receivers on one PostgreSQL tell it once', async () => {
	const url = await freshDatabase();
	const stores = await Promise.all(
		[1, 2].map(() => openPostgres(url, [ENCRYPTION_KEY], () => undefined)),
	);
	try {
		await stores[0].consumers.take(pullOf('flow'), NOW);
		await stores[0].consumers.release('flow', 'first-n8n', NOW);
		const readings = await Promise.all(stores.map((store) => readingOf(store, NOW + HOUR)));
		const told = await Promise.all(
			readings.map((reading, index) => stores[index].attention.tell(reading, NOW + HOUR)),
		);
		expect(told.flat()).toHaveLength(1);
		expect(kindsOf(await stores[1].log.slice({ limit: 9, before: null }))).toEqual([
			'workflow-away begun',
		]);
	} finally {
		await Promise.all(stores.map((store) => store.close()));
	}
}, 120_000);

describe('through the receiver', () => {
	afterEach(cleanUp);

	it('tells of executions that were not woken, and of keys of unknown outcome, until a person has seen to them', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const toldOf = async (kind: string) =>
			kindsOf((await receiver.events()).reverse()).filter((one) => one.startsWith(kind));
		const metric = async (name: string) => {
			clock.advance(2_000);
			const text = await (await fetch(`${receiver.url}/metrics`)).text();
			return text.match(new RegExp(`^receiver_${name} (\\d+)$`, 'm'))?.[1];
		};
		await receiver.manage('PUT', '/waits/wait-0000-0000-0001', {
			instance: 'n8n',
			resumeUrl: 'http://127.0.0.1:9/7',
			secret: 's'.repeat(40),
			messages: [{ messageId: '000000000001' }],
			deadline: new Date(clock.now() + 1000).toISOString(),
		});
		const holder = 'holder-of-a-claim-0001';
		const leaving = { state: 'leaving', holder, leaseSeconds: 30 };
		await receiver.manage('PUT', '/claims/invoice-7', leaving);
		expect([await metric('wake_ups_dead'), await metric('claims_unknown')]).toEqual(['0', '0']);

		clock.advance(25 * HOUR);
		const all = async (what: string) =>
			(await toldOf('wake-ups-dead')).includes(`wake-ups-dead ${what}`) &&
			(await toldOf('claims-unknown')).includes(`claims-unknown ${what}`);
		await receiver.atRest();
		clock.advance(61_000);
		await until(() => all('begun'), 'both are told');
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
		void second.pulled({ holdMs: 25_000 }).catch(() => undefined);
		await until(async () => (await second.consumers())[0].held, 'n8n is back');
		clock.advance(60_000);
		await second.consumers();
		expect(await second.events()).toEqual([]);
	});

	/** Lets so many minutes pass, each with its look at what needs a person. */
	const pass = async (receiver: Started, clock: ManualClock, minutes: number) => {
		for (let minute = 0; minute < minutes; minute++) {
			clock.advance(60_000);
			await receiver.atRest();
		}
	};

	it('a workflow is away after an hour, until it pulls again; for a minute less it is not', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		await receiver.pulled();
		await receiver.pulled({ leaving: true });
		await pass(receiver, clock, 59);
		expect(kindsOf(await receiver.events())).toEqual([]);
		await pass(receiver, clock, 3);
		expect(kindsOf(await receiver.events())).toEqual(['workflow-away begun']);
		const held = receiver.pulled({ holdMs: 60_000 });
		await receiver.untilHeld();
		clock.advance(60_000);
		await held;
		await receiver.atRest();
		expect(kindsOf(await receiver.events())).toContain('workflow-away resolved');
	});

	it('a second n8n is told of until ten minutes without it have passed, and to who names such events', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const named = { wants: { events: ['receiver.attention'] } };
		const operator = () => receiver.pulled(named, { key: 'n8n~operator' });
		await operator();
		await receiver.pulled();
		await pass(receiver, clock, 3);
		await receiver.pulled();
		expect((await receiver.pull({ holder: 'another-holder-of-tests' })).status).toBe(409);
		await pass(receiver, clock, 1);
		expect(kindsOf(await receiver.events())).toEqual(['second-n8n begun']);
		expect((await operator()).batches).toHaveLength(1);
		expect((await receiver.pulled()).batches).toEqual([]);
		await pass(receiver, clock, 8);
		expect(kindsOf(await receiver.events())).toEqual(['second-n8n begun']);
		await pass(receiver, clock, 3);
		expect(kindsOf(await receiver.events())).toContain('second-n8n resolved');
	});

	it('polls that are refused are told of after a quarter of an hour, until one is answered', async () => {
		const clock = new ManualClock();
		const service = await pollService(clock.now);
		service.trouble = () => ({ status: 401 });
		service.messages.set('000000000001', { status: 'SENT' });
		const receiver = await start({ env: service.env(), dependencies: { clock } });
		await receiver.manage('PUT', '/watches/000000000001', {});
		await until(() => {
			clock.advance(1_000);
			return service.polls.length > 0;
		}, 'it is polled');
		await pass(receiver, clock, 14);
		expect(kindsOf(await receiver.events())).toEqual([]);
		await pass(receiver, clock, 3);
		expect(kindsOf(await receiver.events())).toEqual(['polls-held begun']);
		service.trouble = () => null;
		await pass(receiver, clock, 7);
		expect(kindsOf(await receiver.events())).toContain('polls-held resolved');
	});

	const disk = mountSmallDisk(64);
	afterAll(() => disk?.remove());
	itOr(disk === null && 'no right to mount a small disk: run as root')(
		'a disk that is nearly full is told of, a backup without room on it is refused, and it is not ready for what has no room',
		async () => {
			const clock = new ManualClock();
			const folder = String(disk?.folder);
			const receiver = await start({ folder, dependencies: { clock } });
			await pass(receiver, clock, 3);
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
