import fc from 'fast-check';
import type { DeliveryEvent } from '../../../webhook-receiver/src/contract.ts';
import { stepOf } from '../../../webhook-receiver/src/event-kinds.ts';
import { FAULTS, bouncingWorlds, isTracked, worlds } from './watching/life.ts';
import type { World } from './watching/life.ts';
import { live } from './watching/run.ts';

const RUNS = Number(process.env.WATCH_WORLDS ?? 1_000);

const AFTER_SENT = ['RECEIVED', 'OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'UNDELIVERED'];
const LAST = ['OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'FAILED', 'CANCELLED'];

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
				const { events, known, watch } = live(world);
				const made = countsOf(events.map((event) => stepOf(event) ?? 'nothing'));
				const happened = countsOf(world.changes.map(({ step }) => step));
				const told = countsOf(mustBeTold(world, known));
				for (const step of new Set([...made.keys(), ...told.keys()])) {
					const count = made.get(step) ?? 0;
					const said = `${count} of ${step}`;
					// Nothing that did not happen, and nothing twice.
					expect([said, count <= (happened.get(step) ?? 0)]).toEqual([said, true]);
					expect([said, count >= (told.get(step) ?? 0)]).toEqual([said, true]);
				}
				const last = world.changes.findLastIndex(({ step }) => LAST.includes(step));
				if (known[last]) expect(watch.endReason).toBe('final');
				expect(watch.endReason).not.toBe('message-not-found');
				for (const event of events) expect(familyOf(event.type)).toEqual(familyFor(world, event));
			}),
			{ numRuns: RUNS },
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
	if (step === 'HELD' || step === 'CANCELLED') return 'unknown';
	if (isTracked(world)) {
		return step === 'FAILED' && !world.isTypeTold ? familyOf(event.type) : 'tracked_mail';
	}
	const isLre = world.messageType === 'LRE' && (world.isTypeTold || event.sourceType !== 'status');
	return step === 'FAILED' && isLre ? 'lre' : 'letter';
}

it('is tried with every fault, naming and type', () => {
	const tried = fc.sample(worlds, { numRuns: 2_000, seed: 1 });
	expect(new Set(tried.flatMap(({ faults }) => faults)).size).toBe(FAULTS.length + 1);
	expect(new Set(tried.map(({ naming, messageType }) => naming + messageType)).size).toBe(15);
	const lives = new Set(tried.map(({ changes }) => changes.map(({ step }) => step).join(' ')));
	expect(lives.size).toBeGreaterThan(30);
});
