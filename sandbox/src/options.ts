import type { DeliveryTimes } from './deliveries.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import { RETRY_DELAYS_MS } from './webhooks.ts';

const DAY = 86_400_000;

export interface SandboxOptions extends DeliveryTimes {
	/** Address service and page listen on; `localhost` is both loopback addresses. */
	host: string;
	/** Port of the service; 0 takes a free one. */
	port: number;
	/** Port of the mails page and the control API; 0 takes a free one. */
	pagePort: number;
	/** Where everything is kept from start to start; null keeps nothing. One sandbox at a time. */
	folder: string | null;
	/** Where events go from the start; `PUT /_sandbox/webhooks` changes it. */
	webhooks: WebhookEndpoint[];
	/** Waits between the attempts to bring an event; no more attempts than these and one. */
	webhookRetryDelaysMs: number[];
	/** Counts identifiers and names tokens after accounts, so that a run can be repeated exactly. */
	deterministic: boolean;
	/** Puts something of each kind into a fresh sandbox, to look at. */
	examples: boolean;
	/** Hears of errors that no caller can be told. */
	report: (error: unknown) => void;
}

export const DEFAULT_OPTIONS: SandboxOptions = {
	host: 'localhost',
	port: 0,
	pagePort: 0,
	folder: null,
	webhooks: [],
	webhookRetryDelaysMs: RETRY_DELAYS_MS,
	deterministic: false,
	examples: false,
	automatic: true,
	deliveryDelayMs: 300,
	openDelayMs: 300,
	trackedExpiryMs: 60 * DAY,
	letterExpiryMs: 15 * DAY,
	report: (error) => {
		console.error(error);
	},
};
