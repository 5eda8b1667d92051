// A town: letters, consents and customers whose lives are made up, all watched at once by one receiver
// that is restarted now and then. Every change makes one event, whatever becomes of the news of it.
import fc from 'fast-check';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { kindOfState, stepOf } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { isNightly } from '../../support/ring.ts';
import { ManualClock, cleanUp, start, temporaryFolder } from './harness.ts';
import { pollService } from './watching/service.ts';
import { STATES, isTracked, letters, listSteps } from './watching/town.ts';
import type { Change, Letter, ListStep } from './watching/town.ts';

const HOUR = 3_600_000;
const TICK = HOUR;
const LETTERS = 70;
/** The same towns each time, so that what turns red is the change that did it; at night ten. */
const SEEDS = process.env.WATCH_SEED?.split(',').map(Number) ?? [1];
if (isNightly) SEEDS.push(2, 3, 4, 5, 6, 7, 8, 9, 10);

jest.setTimeout(600_000);
afterEach(cleanUp);

type Receiver = Awaited<ReturnType<typeof start>>;
type Service = Awaited<ReturnType<typeof pollService>>;
type ListName = keyof typeof STATES;

it.each(SEEDS)(
	'[EVNT-05][STAT-05][CONS-07][CUST-04] each change makes one event, seed %i',
	async (seed) => {
		const clock = new ManualClock();
		const began = clock.now();
		const service = await pollService(clock.now);
		service.pageSize = 3;
		const all = fc.sample(letters, { numRuns: LETTERS, seed });
		const [consents = [], customers = []] = fc.sample(listSteps, { numRuns: 2, seed });
		const lists = [
			new ListLife('consents', consents, service, clock.now),
			new ListLife('customers', customers, service, clock.now),
		];
		service.listTrouble = (path) =>
			lists.find(({ name }) => path.startsWith(`/${name}`))?.asked(path) ?? null;
		const env = service.env({
			WATCH_DELAYS: '0s:3h',
			WATCH_RATE_LIMIT: '60000',
			RETENTION: '365d',
		});
		const folder = temporaryFolder();
		let receiver = await start({ folder, env, dependencies: { clock } });
		await receiver.pulled();
		const lives = all.map((letter, place) => new LetterLife(letter, place, began));
		service.trouble = (id) => lives[Number(id) - 1]?.fault() ?? null;
		service.beforeAnswer = async (id) => {
			const life = lives[Number(id) - 1];
			if (life?.letter.order !== 'during') return;
			await life.tell(receiver, clock.now());
			life.show(service, clock.now());
		};
		const end = Math.max(...all.flatMap(({ changes }) => changes.map(({ at }) => at))) + 60 * HOUR;
		for (let tick = 1; clock.now() < began + end; tick++) {
			clock.advance(TICK);
			const now = clock.now();
			for (const life of lives) await life.go(receiver, service, now);
			for (let asked = -1; asked !== service.polls.length + service.pages.length; ) {
				asked = service.polls.length + service.pages.length;
				clock.advance(10_000);
				await receiver.atRest();
			}
			for (const { letter, tell } of lives) if (letter.order === 'after') await tell(receiver, now);
			for (const list of lists) await list.look(receiver);
			if (tick % 40 === 0) {
				await receiver.close();
				receiver = await start({ folder, env, dependencies: { clock } });
			}
		}
		const events = await eventsOf(receiver);
		const made = Map.groupBy(events, (one) => one.messageId ?? one.consentId ?? one.customerId);
		for (const life of lives) {
			const steps = (made.get(life.id) ?? []).map((event) => stepOf(event));

			expect({ life, steps: steps.toSorted() }).toEqual({
				life,
				steps: life.expected().toSorted(),
			});
			const { body } = await receiver.manage('GET', `/watches/${life.id}`);
			expect({ life, end: body.endReason }).toEqual({ life, end: life.isOver() ? 'final' : null });
		}
		for (const list of lists) {
			for (const entry of list.all) {
				const states = (made.get(entry.id) ?? []).map(({ status }) => status);
				expect([entry, states]).toEqual([entry, list.expected(entry)]);
			}
		}
	},
);

async function eventsOf(receiver: Receiver): Promise<DeliveryEvent[]> {
	const found: DeliveryEvent[] = [];
	for (let query = ''; ; ) {
		const { body } = await receiver.manage('GET', `/events?limit=500${query}`);
		found.push(...(body.data as DeliveryEvent[]));
		if (body.next === null) break;
		query = `&before=${String(body.next)}`;
	}
	return found.reverse().filter(({ type }) => type !== 'receiver.attention');
}

/** Nothing follows them; LS and AS end with RECEIVED, too. */
const LAST = ['OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'FAILED', 'CANCELLED'];

class LetterLife {
	readonly letter: Letter;
	readonly id: string;
	private readonly began: number;
	private readonly webhooks: Array<{ at: number; change: Change; place: number }>;
	private polls = 0;
	private isWatched = false;

	constructor(letter: Letter, place: number, began: number) {
		this.letter = letter;
		this.began = began;
		this.id = String(place + 1).padStart(12, '0');
		const hooks = letter.changes.flatMap((change, index) =>
			change.webhooks.map((delay) => ({ at: began + change.at + delay, change, place: index })),
		);
		this.webhooks = hooks.sort((left, right) => left.at - right.at);
	}

	/** What happens to it until now, before it is polled. */
	async go(receiver: Receiver, service: Service, now: number): Promise<void> {
		const { changes, order, isWatchedLate, isTypeTold, messageType } = this.letter;
		const [next] = this.webhooks;
		// Nobody sees it before the poll during which its webhook comes.
		const isNews =
			next !== undefined && next.at <= now && next.at < this.began + next.change.at + TICK;
		const isShownLate = order === 'during' && isNews && this.isWatched;
		if (order === 'before' || (order === 'during' && !isShownLate)) await this.tell(receiver, now);
		this.show(service, isShownLate ? this.began + next.change.at - 1 : now);
		const from = isWatchedLate ? (changes[0]?.at ?? 0) : 0;
		if (this.isWatched || now < this.began + from) return;
		this.isWatched = true;
		const fields = isTypeTold ? { messageType } : {};
		await receiver.manage('PUT', `/watches/${this.id}`, fields);
	}

	/** Posts the webhooks that are due. */
	tell = async (receiver: Receiver, now: number): Promise<void> => {
		while (this.webhooks[0] !== undefined && this.webhooks[0].at <= now) {
			const { change, place } = this.webhooks.shift() as (typeof this.webhooks)[0];
			const { messageType, naming } = this.letter;
			const time = new Date(this.began + change.at).toISOString();
			const event = `${messageType}_${change.step}`.toLowerCase();
			const names = {
				time: { timestamp: time },
				created: { createdAt: new Date(this.began).toISOString() },
				id: { eventId: `event-${place}` },
				nothing: {},
			};
			await receiver.emit({ event, messageId: this.id, ...names[naming] });
		}
	};

	fault() {
		return this.letter.faults[this.polls++ % this.letter.faults.length] ?? null;
	}

	/** Whether the service shows a status of its own for a change. */
	private shows = ({ step }: Change) => step !== 'FAILED' || this.letter.showsFailure;

	show(service: Service, now: number): void {
		const happened = this.letter.changes.filter(({ at }) => this.began + at <= now);
		const status = happened.findLast(this.shows)?.step ?? 'SCHEDULED';
		const wasSent = happened.some(({ step }) => step === 'SENT');
		const evidences = isTracked(this.letter) || !wasSent ? [] : ['SENT'];
		service.messages.set(this.id, { status, evidences });
	}

	/** What was seen or told. */
	expected(): string[] {
		const { changes } = this.letter;
		const known = changes.filter((change) => change.webhooks.length > 0 || this.shows(change));
		return known.map(({ step }) => step);
	}

	isOver(): boolean {
		const last = this.expected().at(-1) ?? '';
		const isSimple = ['LS', 'AS'].includes(this.letter.messageType) && this.letter.isTypeTold;
		return LAST.includes(last) || (isSimple && last === 'RECEIVED');
	}
}

interface Entry {
	id: string;
	state: string;
	createdAt: string;
	isAdded: boolean;
	/** What pages showed of it, in turn. */
	shown: string[];
}

const NOTHING: ListStep = { do: 'nothing' };

/** In the first reading: another moves from the last page to one that was read already. */
const OVERTAKEN: ListStep = { do: 'replace', place: 0, state: 0 };

/** Changes between one page and the next. Nothing is added until the list was read for the first time. */
class ListLife {
	readonly name: ListName;
	readonly all: Entry[] = [];
	private readonly steps: ListStep[];
	private readonly service: Service;
	private readonly now: () => number;
	private wasRead = false;

	constructor(name: ListName, steps: ListStep[], service: Service, now: () => number) {
		this.name = name;
		this.steps = [NOTHING, NOTHING, OVERTAKEN, ...steps];
		this.service = service;
		this.now = now;
		for (let state = 0; state < 7; state++) this.add(state);
	}

	async look({ manage }: Receiver): Promise<void> {
		const { body } = await manage('GET', '/watches/service');
		const lists = body.lists as Array<{ name: string; readAt: string | null }>;
		this.wasRead ||= lists.some(({ name, readAt }) => name === this.name && readAt !== null);
	}

	/** What becomes of a request for a page. */
	asked(path: string) {
		const { name, service } = this;
		const step = this.steps.shift() ?? NOTHING;
		if (step.do === 'fail') return step.how;
		if (step.do === 'add' && this.wasRead) this.add(step.state);
		if (step.do === 'change') this.change(step.place, step.state);
		if (step.do === 'replace' && (step === OVERTAKEN || this.wasRead)) {
			service.lists[name].splice(step.place % service.lists[name].length, 1);
			this.add(step.state);
		}
		const page = Number(new URL(path, service.url).searchParams.get('page'));
		const to = page * service.pageSize;
		for (const { id, state } of service.lists[name].slice(to - service.pageSize, to)) {
			this.all.find((one) => one.id === id)?.shown.push(state);
		}
		return null;
	}

	/** The states that were news, one after another. */
	expected({ shown, isAdded }: Entry): string[] {
		const changes = shown.filter((state, place) => state !== shown[place - 1]);
		const news = isAdded ? changes : changes.slice(1);
		return news.filter((state) => kindOfState(this.name, state) !== null);
	}

	private add(state: number): void {
		const states = STATES[this.name];
		const entry: Entry = {
			id: `${this.name}-${this.all.length}`,
			state: states[state % states.length] ?? '',
			createdAt: new Date(this.now() + this.all.length).toISOString(),
			isAdded: this.wasRead,
			shown: [],
		};
		this.all.push(entry);
		this.service.lists[this.name].push({ ...entry });
	}

	private change(place: number, state: number): void {
		const listed = this.service.lists[this.name];
		const entry = listed[place % Math.max(listed.length, 1)];
		const states = STATES[this.name];
		if (entry) entry.state = states[state % states.length] ?? '';
	}
}
