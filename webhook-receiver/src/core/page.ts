export interface Page {
	limit: number;
	/** Only entries older than this id or sequence. */
	before: number | null;
}
