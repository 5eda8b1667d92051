import type { Deliveries } from '../delivery/delivery.ts';
import type { FaultPlan } from '../http/faults.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import { discard } from '../http/upload.ts';
import type { News } from '../journal/news.ts';
import type { Journal } from '../journal/journal.ts';
import type { RequestEntry } from '../journal/entries.ts';
import type { Clock } from '../state/clock.ts';
import type { Attachment, Credentials } from '../state/model.ts';
import type { Scheduler } from '../state/scheduler.ts';
import type { SignedLinks } from '../state/signed-links.ts';
import type { Store } from '../state/store.ts';
import type { WebhookSender } from '../webhooks/webhooks.ts';

/** Where the service is reached, and what proves it. */
export interface Host {
	/** Address of the service, for links in responses. */
	url: string;
	/** PEM of the authority that clients must trust. */
	caCertificate: string;
	/** Puts the host of another address into the server certificate. */
	addName: (name: string) => Promise<void>;
	/** A new client certificate from the sandbox's own authority, not registered anywhere yet. */
	issueCertificate: (accountName: string) => Promise<Credentials>;
}

/** What the endpoints share; one per running sandbox. */
export interface World {
	clock: Clock;
	scheduler: Scheduler;
	store: Store;
	links: SignedLinks;
	webhooks: WebhookSender;
	deliveries: Deliveries;
	/** Requests to the service and their answers. */
	requests: Journal<RequestEntry>;
	/** For pages, and for whoever waits. */
	news: News;
	rateLimiter: RateLimiter;
	faults: FaultPlan;
	/** Counts resets, each of which puts another world in the place of the one before. */
	generation: number;
	/** Folder that uploads are written to. */
	uploads: string;
	host: Host;
	/** Puts the seeds in the place of everything, at once, and then deletes the files from before. */
	reset: () => Promise<void>;
	/** Persists changes to the folder, if there is one; reports a failure once, until it is over. @throws FolderError */
	commit: () => void;
	/** Receives errors that cannot be reported to any caller. */
	report: (error: unknown) => void;
}

/** Deletes those of these files that no record refers to. */
export async function removeFiles({ store }: World, files: Attachment[]) {
	const needed = new Set(store.files().map(({ path }) => path));
	await discard(files.filter(({ path }) => !needed.has(path)));
}
