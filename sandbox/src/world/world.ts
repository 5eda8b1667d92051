import type { Credentials } from '../accounts/authority.ts';
import type { CmsSigner } from '../accounts/cms.ts';
import type { Clock } from './clock.ts';
import type { Deliveries } from '../messages/delivery.ts';
import type { FaultPlan } from '../http/faults.ts';
import type { Ids } from './ids.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { SignedLinks } from './signed-links.ts';
import type { MailContent } from './mails.ts';
import type { Store } from './store.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { WebhookSender } from '../webhooks/webhooks.ts';

/** What the endpoints share; one per running sandbox. */
export interface World {
	clock: Clock;
	store: Store;
	ids: Ids;
	links: SignedLinks;
	webhooks: WebhookSender;
	deliveries: Deliveries;
	rateLimiter: RateLimiter;
	faults: FaultPlan;
	/** A new client certificate from the sandbox's own authority, not registered anywhere yet. */
	issueCertificate: (accountName: string) => Promise<Credentials>;
	/** Signs evidences; its key is made when first asked for. */
	evidenceSigner: () => Promise<CmsSigner>;
	/** Puts a mail into a mailbox now. */
	postMail: (mail: MailContent) => void;
	/** Folder that uploads are written to. */
	uploads: string;
	/** Address of the service, for links in responses. */
	serviceUrl: () => string;
	/** PEM of the authority that clients must trust. */
	caCertificate: string;
	advance: (ms: number) => void;
	reset: () => Promise<void>;
	setWebhooks: (endpoints: WebhookEndpoint[]) => void;
	/** Receives errors that cannot be reported to any caller. */
	report: (error: unknown) => void;
}
