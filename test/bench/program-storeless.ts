// The receiver itself, but with a store that keeps nothing: what HTTP, authentication, reading, log
// and metrics cost, without what durability costs.
import { readConfig } from '../../webhook-receiver/src/config.ts';
import { startReceiver } from '../../webhook-receiver/src/server.ts';
import type { Store } from '../../webhook-receiver/src/store/store.ts';

/** Only what a receiver without subscriptions asks of it. */
const nowhere: Partial<Store> = {
	watchMs: null,
	async ingest(candidates) {
		return { accepted: candidates.length, duplicates: 0, subscriptions: [] };
	},
	subscriptionsWithWork: async () => [],
	clean: async () => false,
	backlog: async () => [],
	check: async () => undefined,
	close: async () => undefined,
};

const receiver = await startReceiver(readConfig(process.env), { store: nowhere as Store });
process.once('SIGTERM', () => void receiver.close().then(() => process.exit()));
