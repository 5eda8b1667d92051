import { join } from 'node:path';
import { issueClientCertificate } from './accounts/authority.ts';
import type { Identity } from './accounts/identity.ts';
import { seed } from './accounts/seeded-accounts.ts';
import { Deliveries } from './delivery/delivery.ts';
import { addExamples } from './examples.ts';
import type { KeptState, StateDatabase } from './folder/state-database.ts';
import { prepareUploads } from './folder/uploads.ts';
import { FaultPlan } from './http/faults.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { News } from './journal/news.ts';
import { Journal } from './journal/journal.ts';
import { secretsOf } from './journal/record-requests.ts';
import type { SandboxOptions } from './options.ts';
import { Clock } from './state/clock.ts';
import { Scheduler } from './state/scheduler.ts';
import { SignedLinks } from './state/signed-links.ts';
import { Store } from './state/store.ts';
import { WebhookSender } from './webhooks/webhooks.ts';
import { removeFiles, type Host, type World } from './world/world.ts';

/** The share of the request journal of the 512 MB that 100,000 messages may take. */
const KEPT_REQUESTS = { entries: 5000, characters: 32 * 1024 * 1024 };

interface Foundation {
	identity: Identity;
	/** Where changes are kept, or null. */
	database: StateDatabase | null;
	/** What an earlier start left there, or null. */
	kept: KeptState | null;
	/** For uploads. */
	folder: string;
	addName: Host['addName'];
}

/** The world as an earlier start left it, or as the seeds have it. */
export async function createWorld(
	options: SandboxOptions,
	{ identity, database, kept, folder, addName }: Foundation,
): Promise<World> {
	const { report } = options;
	const clock = new Clock(kept?.clock);
	const store = new Store();
	if (kept) {
		store.import(kept, join(folder, 'uploads'));
		store.forgetChanges();
	} else seed(store, identity, clock.now());
	const links = new SignedLinks(kept ? Buffer.from(kept.linkSecret, 'base64') : undefined);
	const scheduler = new Scheduler(clock, report);
	const news = new News();
	let numbered = 0;
	const nextNumber = () => ++numbered;
	const { webhooks: endpoints, webhookRetryDelaysMs: retryDelays } = options;
	const webhooks = new WebhookSender(endpoints, retryDelays, {
		nextNumber,
		beforeSending: () => world.commit(),
		onAttempt: () => news.tell('webhook'),
		secrets: () => secretsOf(world),
	});
	const parts = { clock, scheduler, store, links, webhooks };
	const { authority } = identity;
	let isFailing = false;
	const world: World = {
		...parts,
		news,
		deliveries: new Deliveries(parts, options),
		requests: new Journal(KEPT_REQUESTS, nextNumber),
		rateLimiter: new RateLimiter(clock),
		faults: new FaultPlan(),
		generation: 0,
		uploads: await prepareUploads(folder, store),
		host: {
			url: '',
			caCertificate: authority.certificate,
			addName,
			issueCertificate: (name) => issueClientCertificate(authority, name, clock.now()),
		},
		async reset() {
			const former = store.files();
			world.generation++;
			scheduler.clear();
			webhooks.reset();
			store.clear();
			world.requests.clear();
			world.rateLimiter.set(null);
			world.faults.clear();
			clock.reset();
			seed(store, identity, clock.now());
			if (options.examples) addExamples(world);
			world.commit();
			await removeFiles(world, former);
		},
		commit() {
			if (database === null) return store.forgetChanges();
			try {
				database.commit(parts);
				isFailing = false;
			} catch (error) {
				if (!isFailing) report(error);
				isFailing = true;
				throw error;
			}
		},
		report,
	};
	store.watch(() => news.tellChange());
	commitSoon(world);
	for (const message of store.messages.values()) world.deliveries.resume(message);
	if (options.examples && !kept) addExamples(world);
	return world;
}

/**
 * Commits what changes on its own, such as the steps of a letter's delivery, once the running step of
 * the program has ended.
 */
function commitSoon({ store, commit }: World): void {
	let isDue = false;
	store.watch(() => {
		if (isDue) return;
		isDue = true;
		queueMicrotask(() => {
			isDue = false;
			try {
				commit();
			} catch {
				// It is reported, and the next commit has it.
			}
		});
	});
}
