import type { DeliveryTimes } from './delivery/delivery.ts';
import { FolderError } from './folder/kept-file.ts';
import type { WebhookEndpoint } from './webhooks/webhook-endpoint.ts';
import { RETRY_DELAYS_MS } from './webhooks/webhooks.ts';

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
	/** Where state is kept between starts; null keeps nothing. A second sandbox on it is refused. */
	folder: string | null;
	/** Initial webhook endpoints; `PUT /_sandbox/webhooks` changes them. */
	webhooks: WebhookEndpoint[];
	/** Delays between delivery attempts; there is one more attempt than delays. */
	webhookRetryDelaysMs: number[];
	/**
	 * Refuses members that the interface does not know, in bodies and queries of lists; the service
	 * drops them.
	 */
	strict: boolean;
	/** Fills a fresh sandbox with one example of each kind. */
	examples: boolean;
	/** Receives errors that cannot be reported to any caller. */
	report: (error: unknown) => void;
}

export const DEFAULT_OPTIONS: SandboxOptions = {
	host: 'localhost',
	names: [],
	port: 0,
	pagePort: 0,
	folder: null,
	webhooks: [],
	webhookRetryDelaysMs: RETRY_DELAYS_MS,
	strict: false,
	examples: false,
	automatic: true,
	deliveryDelayMs: 300,
	openDelayMs: 300,
	report: (error) => {
		// One about the folder says by itself what to do.
		console.error(error instanceof FolderError ? error.message : error);
	},
};
