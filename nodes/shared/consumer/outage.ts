/** So long nothing comes from a receiver before the user is told, in milliseconds. */
export const TELL_AFTER_MS = 10 * 60_000;

/**
 * So long a n8n that has just started bears with another one that holds its consumer: the process
 * before, killed while the receiver was down, is believed to be there for half a minute.
 */
export const PREDECESSOR_MS = 45_000;

/**
 * So long a refused trigger fails to open again, for n8n 2.41 shows a workflow's error only while it
 * does. It must be less than the 15 s after which n8n makes its fifth and last try, or n8n gives the
 * trigger up for good.
 */
const SHOWN_MS = 12_000;

/** A run of failures at a receiver, and what the user has heard of it. */
export class Outage {
	/** Requests that failed in a row. */
	failures = 0;
	private since: number | null = null;
	private refusedSince: number | null = null;
	private refusalToldAt: number | null = null;
	private isAbsenceTold = false;

	/**
	 * @param refusal whether it helps only that somebody corrects something
	 * @param patience how long a refusal may last before it is told, in milliseconds
	 * @returns what to tell the user now: each once in an outage
	 */
	failed(
		{ refusal, patience }: { refusal: boolean; patience: number },
		now: number,
	): 'refused' | 'away' | null {
		this.failures++;
		this.since ??= now;
		if (refusal) {
			this.refusedSince ??= now;
			if (this.refusalToldAt === null && now - this.refusedSince >= patience) {
				this.refusalToldAt = now;
				return 'refused';
			}
		}
		if (this.isAbsenceTold || now - this.since < TELL_AFTER_MS) return null;
		this.isAbsenceTold = true;
		return 'away';
	}

	get isRefused(): boolean {
		return this.refusedSince !== null;
	}

	/** Whether n8n is still to show that the receiver refuses. */
	isShown(now: number): boolean {
		return this.refusalToldAt !== null && now - this.refusalToldAt < SHOWN_MS;
	}
}
