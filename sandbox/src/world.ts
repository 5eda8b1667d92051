import type { Credentials } from './authority.ts';
import type { Clock } from './clock.ts';
import type { Deliveries } from './deliveries.ts';
import type { FaultPlan } from './faults.ts';
import type { Ids } from './ids.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { SignedLinks } from './signed-links.ts';
import type { MailContent } from './mails.ts';
import type { Store } from './store.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import type { WebhookSender } from './webhooks.ts';

/** What the endpoints work with; one for each running sandbox. */
export interface World {
	clock: Clock;
	store: Store;
	ids: Ids;
	links: SignedLinks;
	webhooks: WebhookSender;
	deliveries: Deliveries;
	rateLimiter: RateLimiter;
	faults: FaultPlan;
	/** A new client certificate of the sandbox's own authority, registered nowhere yet. */
	issueCertificate: (accountName: string) => Promise<Credentials>;
	/** Puts a mail into a mailbox, now. */
	postMail: (mail: MailContent) => void;
	/** Folder that uploads are written to. */
	uploads: string;
	/** Address of the service, for links in answers. */
	serviceUrl: () => string;
	advance: (ms: number) => void;
	reset: () => Promise<void>;
	setWebhooks: (endpoints: WebhookEndpoint[]) => void;
	/** Where an error that no caller can be told goes. */
	report: (error: unknown) => void;
}
