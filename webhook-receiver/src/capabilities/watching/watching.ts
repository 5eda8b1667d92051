import type { Alert, Capability, Figures } from '../../capability.ts';
import type { ReceiverConfig } from '../../config/read-config.ts';
import { isTypeOf } from '../../core/lists.ts';
import { serviceIn } from '../../outgoing/service-agent.ts';
import type { Db } from '../../sql/engine.ts';
import { expectConsents, follow, watchedRow } from './follow.ts';
import { HEALTH_TABLE, serviceHealthIn } from './service-health.ts';
import { WATCHED_INDEXES, scheduled, watchedLettersIn } from './watched-letters.ts';
import { LISTS_TABLE, listsIn } from './lists.ts';
import type { WatchedList } from './lists.ts';
import { createPoller, pollCounts } from './poller.ts';
import type { WatchConfig } from './poller.ts';
import { watchRoutes } from './route.ts';
import { watchState } from './watch-state.ts';

/** A person hears of trouble once it has lasted this long. */
const PAUSED_MS = 15 * 60_000;

/** One reading that breaks off says little: the next begins soon. */
const FAILED_READINGS = 2;

/** Asks the delivery service for what it has no webhook for: letters, consents, customers. */
export const watching: Capability = {
	name: 'watching',
	steps: [HEALTH_TABLE + LISTS_TABLE + WATCHED_INDEXES],
	start(kernel) {
		const { database, learn, capabilities, consumers } = kernel;
		const config = watchConfigOf(kernel.config);
		const letters = watchedLettersIn(database, learn);
		const othersWant = async (db: Db) => {
			const wanted = await Promise.all(capabilities.map((one) => one.listsWanted?.(db) ?? []));
			return wanted.flat();
		};
		const lists = listsIn(database, learn, othersWant);
		const serviceHealth = serviceHealthIn(database, lists.tryAtOnce);

		const state = (now: number) => watchState(database, { lists, serviceHealth }, now);
		const counts = pollCounts(kernel.registry);

		/**
		 * Of lists that cannot be read. A consumer of any event takes lists along that its account may not have:
		 * they count only where somebody names their events, or waits for them.
		 */
		async function unreadAlert(all: readonly WatchedList[], now: number): Promise<Alert[]> {
			const failing = all.filter(({ watch }) => watch.problem !== null);
			if (failing.length === 0) return [];
			const waited = await othersWant(database);
			const named = (await consumers.list(now)).flatMap(({ wants }) => wants.events);
			const unread = failing.filter(
				({ name, watch }) =>
					watch.readAt !== null ||
					waited.includes(name) ||
					named.some((type) => isTypeOf(name, type)),
			);
			if (unread.length === 0) return [];
			return [
				{
					kind: 'lists-unread',
					since: Math.min(...unread.map(({ watch }) => watch.readAt ?? watch.wantedAt)),
					reason: unread.map(({ name, watch }) => `${name}: ${watch.problem}`).join('; '),
					begins: unread.some(({ watch }) => watch.failures >= FAILED_READINGS),
				},
			];
		}

		async function figures(now: number): Promise<Figures> {
			const { watched, lists: all, nextPollAt, problem, problemAt } = await state(now);
			const since = problemAt ?? now;
			const paused = { kind: 'polls-paused', since, begins: now - since >= PAUSED_MS };
			const alerts =
				problem === null ? await unreadAlert(all, now) : [{ ...paused, reason: problem }];
			return {
				alerts: config === null ? [] : alerts,
				gauges: [
					['watched_letters', 'Letters that are watched', watched],
					['watched_lists', 'Lists that are watched: consents, customers', all.length],
					[
						'watch_overdue_seconds',
						'How late the most urgent poll is; 0 when none is',
						Math.max(0, now - (nextPollAt ?? now)) / 1000,
					],
					[
						'watch_paused',
						'1 while the delivery service refuses polls, asks to wait, or does not answer',
						Number(problem !== null),
					],
				],
			};
		}

		const asked = {
			routes: watchRoutes(kernel, { letters, serviceHealth, state, isOn: config !== null }),
			roles: [
				['n8n', 'post', '/watches'],
				['n8n', 'put', '/watches/:id'],
			] as const,
			figures,
		};
		if (config === null) return asked;
		const poller = createPoller(kernel, config, { letters, lists, serviceHealth, counts });
		return {
			...asked,
			watches: {
				follow: (tx, all, now) => follow(tx, learn, all, now),
				watchedRow,
				expect: (tx, consents, now) => expectConsents(tx, learn, consents, now),
			},
			amend: (change, now) => scheduled(change, now, config),
			lead: poller.lead,
			onWants: poller.onWants,
			renew(fresh) {
				const renewed = watchConfigOf(fresh);
				if (renewed !== null) poller.renew(renewed.service);
			},
			stop: poller.stop,
		};
	},
};

/** Null: no service to poll is configured. */
function watchConfigOf(config: ReceiverConfig): WatchConfig | null {
	const service = serviceIn(config);
	if (service === null) return null;
	return {
		service,
		pollsPerMinute: config.WATCH_RATE_LIMIT,
		delays: config.WATCH_DELAYS,
		limitMs: config.WATCH_LIMIT,
	};
}
