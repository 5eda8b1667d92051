/** From this time after the last change on, how long to wait between two requests; all in milliseconds. */
export const PACE = [
	{ age: 30 * 86_400_000, delay: 6 * 3_600_000 },
	{ age: 86_400_000, delay: 3_600_000 },
	{ age: 3_600_000, delay: 600_000 },
	{ age: 600_000, delay: 60_000 },
	{ age: -Infinity, delay: 15_000 },
];

/** The list of consents is one request for many: it need not be read as rarely as an old letter. */
export const LONGEST_LIST_DELAY = 600_000;

/** Between two requests of this process to services. */
export const GAP_MS = 250;

/** How often to look for what sleeps; executions of this process say so themselves. */
export const LOOK_MS = 60_000;

/** How soon after an execution says that it falls asleep n8n has stored it, as a rule. */
export const STORED_MS = 1_000;
