import type { ErrorText } from '../items/perItem';
import type { Entry } from './entry';
import type { Sharing } from './plan';

export interface SendingSettings<E extends Entry> {
	sharing: Sharing<E>;
	/** Number of concurrent requests. */
	concurrency: number;
	/** Drops entries that the service rejects from a request, and sends the rest. */
	isIsolating: boolean;
	/** Resends unknown entries, at the risk of sending them twice. */
	sendsUnknownAgain?: boolean;
	/** Checks everything to be sent before the first request, and may reject the whole run. */
	refuse?: Refuse<E>;
}

/** Why a run may not send these entries, or null if it may. */
export type Refuse<E> = (entries: E[]) => ErrorText | null;

/** One request per item. */
export const ONE_BY_ONE = {
	sharing: { key: () => null, weight: () => 1, most: null },
	concurrency: 1,
	isIsolating: false,
};
