import type { Credentials } from '../accounts/authority.ts';
import type { VirtualClock } from './clock.ts';
import type { Deliveries } from '../messages/delivery.ts';
import type { FaultPlan } from '../http/faults.ts';
import type { Ids } from './ids.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { Scheduler } from './scheduler.ts';
import type { SignedLinks } from './signed-links.ts';
import type { Attachment } from './model.ts';
import type { Snapshot } from './snapshots.ts';
import type { MailContent } from './mails.ts';
import type { EventLog } from '../journal/event-log.ts';
import type { Kept } from '../journal/kept.ts';
import type { RequestEntry } from '../journal/request-entry.ts';
import type { Store } from './store.ts';
import type { WebhookSender } from '../webhooks/webhooks.ts';

/** What the endpoints share; one per running sandbox. */
export interface World {
	clock: VirtualClock;
	store: Store;
	ids: Ids;
	links: SignedLinks;
	webhooks: WebhookSender;
	deliveries: Deliveries;
	/** Requests to the service and their answers. */
	requests: Kept<RequestEntry>;
	/** Events for streams, waits and pages. */
	events: EventLog;
	rateLimiter: RateLimiter;
	faults: FaultPlan;
	/** By name. */
	snapshots: Map<string, Snapshot>;
	/** A new client certificate from the sandbox's own authority, not registered anywhere yet. */
	issueCertificate: (accountName: string) => Promise<Credentials>;
	/** Puts a mail into a mailbox now. */
	postMail: (mail: MailContent) => void;
	/** Whether requests with members that the interface does not know are refused. */
	strict: boolean;
	/** Counts resets and restores, each of which puts another world in the place of the one before. */
	era: number;
	/** Folder that uploads are written to. */
	uploads: string;
	/** Address of the service, for links in responses. */
	serviceUrl: () => string;
	/** Its host is in the certificate from then on. */
	setServiceUrl: (url: string) => Promise<void>;
	/** PEM of the authority that clients must trust. */
	caCertificate: string;
	scheduler: Scheduler;
	reset: () => Promise<void>;
	/** Puts another world in the place of this one, at once, and then deletes the files of this one. */
	replace: (fill: () => void) => Promise<void>;
	/** Deletes those of these files that neither a record nor a snapshot refers to. */
	removeFiles: (files: Attachment[]) => Promise<void>;
	/** Persists changes to the folder, if there is one. @throws FolderError */
	commit: () => void;
	/** Receives errors that cannot be reported to any caller. */
	report: (error: unknown) => void;
}
