import fc from 'fast-check';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { stepOf } from '../../../webhook-receiver/src/core/event-kinds.ts';
import { FAULTS, bouncingWorlds, isTracked, worlds } from './watching/life.ts';
import type { World } from './watching/life.ts';
import { live } from './watching/run.ts';
import { tenfoldAtNight } from '../../support/ring.ts';

/** The same worlds each time, so that what turns red is the change that did it; by hand more, and others. */
const RUNS = Number(process.env.WATCH_WORLDS ?? tenfoldAtNight(1_000));
const SEED = Number(process.env.WATCH_SEED ?? 1);

const AFTER_SENT = ['RECEIVED', 'OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'UNDELIVERED'];
/** After a bounce, a second delivery can't be told from the first if the bounce is told of last. */
const ROUNDS = ['RECEIVED', 'UNDELIVERED'];
const LAST = ['OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'FAILED', 'CANCELLED'];

/** A bounce told of hours late, and gone again within minutes: one world in 7,000. */
const LATE_BOUNCE: World = {
	messageType: 'AES',
	isTypeTold: false,
	isScheduled: false,
	showsFailure: false,
	naming: 'time',
	watchedFrom: 0,
	lag: 0,
	takes: 14_000,
	echoes: 2,
	isQuick: true,
	faults: [null, null, null, null],
	changes: [
		{ at: 0, step: 'SENT', webhooks: [] },
		{ at: 12_916_173, step: 'RECEIVED', webhooks: [] },
		{ at: 40_191_858, step: 'UNDELIVERED', webhooks: [10_800_000] },
		{ at: 40_491_879, step: 'RECEIVED', webhooks: [0] },
		{ at: 49_577_003, step: 'UNDELIVERED', webhooks: [] },
	],
};

/** A delivery told of while a poll's answer, which shows the bounce before it, is under way. */
const OVERTAKEN_POLL: World = {
	...LATE_BOUNCE,
	isScheduled: true,
	changes: [
		{ at: 887_931, step: 'SENT', webhooks: [] },
		{ at: 14_168_019, step: 'RECEIVED', webhooks: [] },
		{ at: 42_968_011, step: 'UNDELIVERED', webhooks: [10_800_000] },
		{ at: 49_577_003, step: 'RECEIVED', webhooks: [20_000] },
		{ at: 49_877_003, step: 'UNDELIVERED', webhooks: [] },
	],
};

it.each([
	['every change makes one event, whatever becomes of the news of it', worlds],
	[
		'every bounce and delivery makes one event, however fast they follow each other',
		bouncingWorlds,
	],
])(
	'[EVNT-05][STAT-05] %s',
	(_, anyWorld) => {
		fc.assert(
			fc.property(anyWorld, (world) => {
				const { events, record, known, lateTold, misled } = live(world);
				const made = countsOf(events.map((event) => stepOf(event) ?? 'nothing'));
				const happened = countsOf(world.changes.map(({ step }) => step));
				const told = countsOf(mustBeTold(world, known));
				for (const step of new Set([...made.keys(), ...told.keys()])) {
					const count = made.get(step) ?? 0;
					const said = `${count} of ${step}`;
					// Nothing that did not happen, and nothing twice.
					const most = (happened.get(step) ?? 0) + (ROUNDS.includes(step) ? lateTold : 0);
					expect([said, count <= most]).toEqual([said, true]);
					expect([said, count >= (told.get(step) ?? 0)]).toEqual([said, true]);
				}
				expect(misled).toBe(0);
				const last = world.changes.findLastIndex(({ step }) => LAST.includes(step));
				if (known[last]) expect(record.watch?.endReason).toBe('final');
				expect(record.watch?.endReason).not.toBe('message-not-found');
				for (const event of events) expect(familyOf(event.type)).toEqual(familyFor(world, event));
			}),
			{ numRuns: RUNS, seed: SEED, examples: [[LATE_BOUNCE], [OVERTAKEN_POLL]] },
		);
	},
	600_000,
);

/** The changes that were seen or told of, and what must have come before them. */
function mustBeTold({ changes }: World, known: boolean[]): string[] {
	const steps = changes.filter((_, place) => known[place]).map(({ step }) => step);
	if (!steps.includes('SENT') && steps.some((step) => AFTER_SENT.includes(step))) {
		steps.push('SENT');
	}
	return steps;
}

function countsOf(steps: readonly string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const step of steps) counts.set(step, (counts.get(step) ?? 0) + 1);
	return counts;
}

function familyOf(type: string): string {
	return type.split('.')[0] ?? '';
}

/** Tracked mail makes no events of letters and the other way round, except before its type is known. */
function familyFor(world: World, event: Pick<DeliveryEvent, 'type' | 'status' | 'sourceType'>) {
	const step = stepOf(event);
	if (step === 'HELD') return 'unknown';
	if (isTracked(world)) {
		const isNeverSent = step === 'FAILED' || step === 'CANCELLED';
		return isNeverSent && !world.isTypeTold ? familyOf(event.type) : 'tracked_mail';
	}
	const isLre = world.messageType === 'LRE' && (world.isTypeTold || event.sourceType !== 'status');
	return step === 'FAILED' && isLre ? 'lre' : 'letter';
}

it('is tried with every fault, naming and type', () => {
	const tried = fc.sample(worlds, { numRuns: 2_000, seed: 1 });
	expect(new Set(tried.flatMap(({ faults }) => faults)).size).toBe(FAULTS.length + 1);
	expect(new Set(tried.map(({ naming, messageType }) => naming + messageType)).size).toBe(20);
	const lives = new Set(tried.map(({ changes }) => changes.map(({ step }) => step).join(' ')));
	expect(lives.size).toBeGreaterThan(30);
});
