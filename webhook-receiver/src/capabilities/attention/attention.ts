import type { Alert, Capability, Kernel } from '../../capability.ts';
import type { DueWork } from '../../time/due-loop.ts';
import { IDLE_PAUSE_MS } from '../../time/idle.ts';
import { jumpsOf } from '../../time/jumps.ts';
import { ATTENTION_TABLE, attentionIn, cleanAttention, noteLoss } from './record.ts';
import { Refusals } from './refusals.ts';
import { attentionRoutes } from './route.ts';
import { ALERTS } from './decide.ts';

const PAUSE_MS = 60_000;

/** After a start, or a jump of the clock, n8n needs a moment to pull again: until then a workflow may only seem away. */
const FIRST_MS = 2 * 60_000;

const LATELY_MS = 24 * 3_600_000;

/** What needs a person: on record, on the page, and as events for the workflows that ask for it. */
export const attention: Capability = {
	name: 'attention',
	steps: [ATTENTION_TABLE],
	start(kernel) {
		const { database, clock } = kernel;
		const alerts = attentionIn(database);
		const refusals = new Refusals(clock);
		return {
			routes: attentionRoutes(alerts),
			lead: () => attendant(kernel, alerts),
			clean: cleanAttention,
			lost: noteLoss,
			refused: refusals.note,
			async figures(now) {
				const over = await alerts.over({ limit: 100, before: null });
				const isLate = (since: number) => since > now - LATELY_MS;
				const lost = over.filter(({ kind, since }) => kind === 'events-lost' && isLate(since));
				const present = [...(await alerts.open()), ...lost];
				const help = 'How often something needs a person now, or was lost within the last day';
				return {
					alerts: refusals.alerts(),
					gauges: ALERTS.map((kind) => [
						'attention',
						help,
						present.filter((one) => one.kind === kind).length,
						{ kind },
					]),
				};
			},
		};
	},
};

/** Looks every minute whether something needs a person, and tells the workflows that ask for it. */
function attendant(kernel: Kernel, alerts: ReturnType<typeof attentionIn>): DueWork {
	const { clock, logger, consumers, database, use } = kernel;
	const startedAt = clock.elapsed();
	const jumpedAt = jumpsOf(clock);
	let nextAt = -Infinity;
	let lookedAt = -Infinity;
	return async () => {
		const elapsed = clock.elapsed();
		if (elapsed < nextAt) return nextAt - elapsed;
		if (use.isIdle() && elapsed < lookedAt + IDLE_PAUSE_MS) return PAUSE_MS;
		const at = clock.now();
		const [all, told, space] = await Promise.all([
			consumers.list(at),
			toldBy(kernel, at),
			database.space(),
		]);
		const isEarly = elapsed - Math.max(startedAt, jumpedAt()) < FIRST_MS;
		const snapshot = { at, isEarly, consumers: all, told, space };
		const events = await alerts.tell(snapshot, clock.now());
		for (const one of events) {
			logger.warn({ attention: one.attention }, 'the receiver needs attention');
		}
		lookedAt = elapsed;
		nextAt = elapsed + PAUSE_MS;
		return PAUSE_MS;
	};
}

async function toldBy({ capabilities }: Kernel, now: number): Promise<Alert[]> {
	const figures = await Promise.all(capabilities.map((one) => one.figures?.(now)));
	return figures.flatMap((one) => one?.alerts ?? []);
}
