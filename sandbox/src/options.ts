import type { DeliveryTimes } from './delivery/delivery.ts';
import type { WebhookEndpoint } from './webhooks/webhook-endpoint.ts';
import { RETRY_DELAYS_MS } from './webhooks/webhooks.ts';

const DAY = 86_400_000;

export interface SandboxOptions extends DeliveryTimes {
	/** Address that service and page listen on; `localhost` means both loopback addresses. */
	host: string;
	/**
	 * Names that others reach it by, such as a container's, beside those of loopback. They stand in the
	 * server certificate; the first stands in links.
	 */
	names: string[];
	/** Port of the service; 0 picks a free one. */
	port: number;
	/** Port of the mails page and the control API; 0 picks a free one. */
	pagePort: number;
	/** Origins of web pages that may ask service and control API, as browsers name them. */
	cors: string[];
	/** Where state is kept between starts; null keeps nothing. A second sandbox on it is refused. */
	folder: string | null;
	/** Initial webhook endpoints; `PUT /_sandbox/webhooks` changes them. */
	webhooks: WebhookEndpoint[];
	/** Delays between delivery attempts; there is one more attempt than delays. */
	webhookRetryDelaysMs: number[];
	/** Counts identifiers and names tokens after accounts, so that a run is exactly repeatable. */
	deterministic: boolean;
	/**
	 * Refuses members that the interface does not know, in bodies and queries of lists; the service
	 * drops them.
	 */
	strict: boolean;
	/** Fills a fresh sandbox with one example of each kind. */
	examples: boolean;
	/** How many requests the journal keeps, within 32 million characters in all. */
	keptRequests: number;
	/** Receives errors that cannot be reported to any caller. */
	report: (error: unknown) => void;
}

/** Each costs at least a kilobyte, and they are searched one by one. */
export const MAX_KEPT_REQUESTS = 20_000;

export const DEFAULT_OPTIONS: SandboxOptions = {
	host: 'localhost',
	names: [],
	port: 0,
	pagePort: 0,
	cors: [],
	folder: null,
	webhooks: [],
	webhookRetryDelaysMs: RETRY_DELAYS_MS,
	deterministic: false,
	strict: false,
	examples: false,
	keptRequests: 5000,
	automatic: true,
	deliveryDelayMs: 300,
	openDelayMs: 300,
	trackedExpiryMs: 60 * DAY,
	letterExpiryMs: 15 * DAY,
	report: (error) => {
		console.error(error);
	},
};
