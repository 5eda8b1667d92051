export interface Page {
	limit: number;
	/** Only entries older than this id or sequence. */
	before: number | null;
}

/** Part of the waits, newest first. */
export interface WaitPage {
	/** Null for all. */
	messageId: string | null;
	limit: number;
	/** Only those older than the wait of this id. */
	before: string | null;
}
