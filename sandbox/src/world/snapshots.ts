import { replaceWorld, type Snapshot, type World } from './world.ts';

const stateOf = ({ clock, ids, links, store, webhooks, rateLimiter, faults }: World) => ({
	now: clock.now(),
	frozen: clock.isFrozen,
	ids: ids.counts(),
	linkSecret: links.secret.toString('base64'),
	stored: store.export(),
	webhooks: webhooks.endpoints,
	rateLimit: rateLimiter.state,
	faults: faults.state,
});

export const takeSnapshot = (world: World): Snapshot => ({
	now: world.clock.now(),
	messages: world.store.messages.size,
	files: world.store.files().map(({ path }) => path),
	state: JSON.stringify(stateOf(world)),
});

/** What is scheduled follows from the messages. */
export const restoreSnapshot = (world: World, snapshot: Snapshot): Promise<void> =>
	replaceWorld(world, () => {
		const { clock, ids, links, store, webhooks, rateLimiter, faults, deliveries } = world;
		const state = JSON.parse(snapshot.state) as ReturnType<typeof stateOf>;
		clock.reset();
		clock.set(state.now);
		if (state.frozen) clock.freeze();
		ids.continueFrom(state.ids);
		links.secret = Buffer.from(state.linkSecret, 'base64');
		store.import(state.stored, world.uploads);
		webhooks.endpoints = state.webhooks;
		rateLimiter.state = state.rateLimit;
		faults.state = state.faults;
		for (const message of store.messages.values()) deliveries.resume(message);
	});
