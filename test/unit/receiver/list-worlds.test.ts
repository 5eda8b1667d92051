// Lists that change while they are being read, from a service that fails in every way: each change of
// an entry makes one event, and what was so when the watching began makes none.
import fc from 'fast-check';
import type { ListName } from '../../../webhook-receiver/src/core/lists.ts';
import { kindOfState } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { afterListPage } from '../../../webhook-receiver/src/watch/after-list-page.ts';
import { newListWatch } from '../../../webhook-receiver/src/watch/list-watch.ts';
import type { ListWatch } from '../../../webhook-receiver/src/watch/list-watch.ts';
import type { NewEvent } from '../../../webhook-receiver/src/core/changes.ts';
import type { ListedRecord } from '../../../webhook-receiver/src/core/listed.ts';
import { understandListPage } from '../../../webhook-receiver/src/watch/service.ts';
import type { ListPageAnswer } from '../../../webhook-receiver/src/watch/answers.ts';
import { tenfoldAtNight } from '../../support/ring.ts';

/** The same worlds each time; by hand more, and others. */
const RUNS = Number(process.env.WATCH_WORLDS ?? tenfoldAtNight(1_000));
const SEED = Number(process.env.WATCH_SEED ?? 1);
const START = Date.UTC(2026, 0, 5, 9);
const MINUTE = 60_000;
const PACE = { delays: [{ age: 0, delay: MINUTE }], pollsPerMinute: 600 };
/** The service gives fewer a page than it is asked for. */
const PAGE_SIZE = 3;

const STATES = {
	consents: ['PENDING', 'ACCEPTED', 'REFUSED', 'Withdrawn'],
	customers: ['PENDING', 'ACCEPTED', 'REVOKED', 'REFUSED', 'CANCELLED', 'SUSPENDED'],
};
const FAULTS = {
	'HTML with 200': { statusCode: 200, text: '<html>Login</html>' },
	'an empty list with 200': { statusCode: 200, text: '[]' },
	'404': { statusCode: 404, text: '{"code":"message-not-found"}' },
	'429': { statusCode: 429, text: '', retryAfterMs: 5_000 },
	'403': { statusCode: 403, text: '{"code":"forbidden"}' },
	'500': { statusCode: 500, text: '' },
};

type Step =
	| { do: 'poll' }
	| { do: 'fail'; how: keyof typeof FAULTS }
	/** The same poll once more, from a receiver that was slow. */
	| { do: 'repeat' }
	| { do: 'add'; state: number }
	| { do: 'change'; entry: number; state: number }
	| { do: 'remove'; entry: number };

const steps = fc.array(
	fc.oneof(
		{ weight: 8, arbitrary: fc.constant<Step>({ do: 'poll' }) },
		{
			weight: 2,
			arbitrary: fc.record({
				do: fc.constant('fail' as const),
				how: fc.constantFrom(...(Object.keys(FAULTS) as Array<keyof typeof FAULTS>)),
			}),
		},
		{ weight: 1, arbitrary: fc.constant<Step>({ do: 'repeat' }) },
		{
			weight: 2,
			arbitrary: fc.record({
				do: fc.constant('add' as const),
				state: fc.nat(5),
			}),
		},
		{
			weight: 3,
			arbitrary: fc.record({
				do: fc.constant('change' as const),
				entry: fc.nat(30),
				state: fc.nat(5),
			}),
		},
		{
			weight: 1,
			arbitrary: fc.record({ do: fc.constant('remove' as const), entry: fc.nat(30) }),
		},
	),
	{ maxLength: 60 },
);

interface Entry {
	id: string;
	state: string;
	createdAt: number;
	/** What the polls showed of it, in turn. */
	shown: string[];
}

/** The least of a store around the decision, and the service's list. */
class World {
	readonly events: NewEvent[] = [];
	readonly all: Entry[] = [];
	/** When the first reading was over. */
	firstReadAt: number | null = null;
	private readonly list: ListName;
	private readonly isNewestFirst: boolean;
	private listed: Entry[] = [];
	private now = START;
	private watch: string | null = null;
	private revision = 0;
	private readonly known = new Map<string, ListedRecord>();
	private late: { revision: number; answer: ListPageAnswer } | null = null;

	constructor(list: ListName, isNewestFirst: boolean, present: readonly number[]) {
		this.list = list;
		this.isNewestFirst = isNewestFirst;
		for (const state of present) this.add(state);
	}

	step(step: Step): void {
		this.now += MINUTE;
		if (step.do === 'add') this.add(step.state);
		if (step.do === 'change') this.change(step.entry, step.state);
		if (step.do === 'remove') this.listed.splice(step.entry % (this.listed.length + 1), 1);
		if (step.do === 'poll') this.poll();
		if (step.do === 'fail') {
			const answer = { retryAfterMs: null, ...FAULTS[step.how] };
			this.settle(this.revision, understandListPage(this.list, this.read().page, answer));
		}
		if (step.do === 'repeat' && this.late) this.settle(this.late.revision, this.late.answer);
	}

	/** Polls until the list has been read whole once more. */
	readWhole(): void {
		const { readAt } = this.read();
		let polls = 0;
		do {
			if (++polls > 1_000) throw new Error('The reading does not end.');
			this.step({ do: 'poll' });
		} while (this.read().readAt === readAt || this.read().page !== 1);
	}

	get stillListed(): readonly Entry[] {
		return this.listed;
	}

	private add(state: number): void {
		const names = STATES[this.list];
		const entry: Entry = {
			id: `entry-${this.all.length}`,
			state: names[state % names.length] ?? '',
			createdAt: this.now,
			shown: [],
		};
		this.now += 1;
		this.all.push(entry);
		this.listed.splice(this.isNewestFirst ? 0 : this.listed.length, 0, entry);
	}

	private change(place: number, state: number): void {
		const entry = this.listed[place % Math.max(this.listed.length, 1)];
		const names = STATES[this.list];
		if (entry) entry.state = names[state % names.length] ?? '';
	}

	private poll(): void {
		const { page } = this.read();
		const from = (page - 1) * PAGE_SIZE;
		const data = this.listed.slice(from, from + PAGE_SIZE).map(({ id, state, createdAt }) => {
			return { id, state, createdAt: new Date(createdAt).toISOString() };
		});
		const lastPage = Math.ceil(this.listed.length / PAGE_SIZE);
		const meta = {
			total: this.listed.length,
			perPage: 3,
			currentPage: page,
			lastPage,
			firstPage: 1,
		};
		const answer = understandListPage(this.list, page, {
			statusCode: 200,
			text: JSON.stringify({ data, meta }),
			retryAfterMs: null,
		});
		for (const { id, state } of data) this.all.find((one) => one.id === id)?.shown.push(state);
		this.late = { revision: this.revision, answer };
		this.settle(this.revision, answer);
		if (this.read().readAt !== null) this.firstReadAt ??= this.now;
	}

	private settle(revision: number, answer: ListPageAnswer): void {
		if (revision !== this.revision) return;
		this.revision++;
		const present = {
			watch: this.read(),
			known: (id: string) => this.known.get(id) ?? null,
		};
		const { now } = this;
		const decision = afterListPage(
			this.list,
			present,
			{ answer, askedAt: now },
			now,
			PACE,
			() => 'evt',
		);
		expect(decision.nextPollAt).toBeGreaterThanOrEqual(now);
		this.watch = JSON.stringify(decision.watch);
		for (const [id, record] of decision.records) this.known.set(id, record);
		this.events.push(...decision.events);
	}

	/** As after a restart: nothing is kept but what was stored. */
	private read(): ListWatch {
		this.watch ??= JSON.stringify(newListWatch(this.now));
		return JSON.parse(this.watch) as ListWatch;
	}
}

/** The states of an entry that were news, one after another. */
function newsOf(list: ListName, { shown, createdAt }: Entry, firstReadAt: number): string[] {
	const changes = shown.filter((state, place) => state !== shown[place - 1]);
	const news = createdAt > firstReadAt ? changes : changes.slice(1);
	return news.filter((state) => kindOfState(list, state) !== null);
}

it.each(['consents', 'customers'] as const)(
	'[CONS-07][CUST-04] %s: each change that a poll shows makes one event, in turn, and nothing else does',
	(list) => {
		fc.assert(
			fc.property(
				fc.boolean(),
				fc.array(fc.nat(5), { maxLength: 10 }),
				steps,
				(isNewestFirst, present, all) => {
					const world = new World(list, isNewestFirst, present);
					for (const step of all) world.step(step);
					world.readWhole();
					world.readWhole();
					const firstReadAt = world.firstReadAt ?? Infinity;
					const made = Map.groupBy(world.events, (event) => event.consentId ?? event.customerId);
					for (const entry of world.all) {
						const events = (made.get(entry.id) ?? []).map(({ status }) => status);
						// What came and shifted away during the first look may count as added or as present.
						const isUnsure = entry.createdAt > START + MINUTE && entry.createdAt <= firstReadAt;
						const expected = newsOf(list, entry, firstReadAt);
						const withFirst = newsOf(list, entry, -Infinity);
						const allowed = isUnsure ? [expected, withFirst] : [expected];
						expect(allowed).toContainEqual(events);
					}
					// Whatever happened before, the list is seen whole in the end.
					for (const { id, state, shown } of world.stillListed) {
						expect([id, shown.at(-1)]).toEqual([id, state]);
					}
					for (const event of world.events) {
						expect(event).toMatchObject({
							sourceType: 'status',
							messageId: null,
							occurredAt: null,
						});
					}
				},
			),
			{ numRuns: RUNS, seed: SEED },
		);
	},
	120_000,
);
