/** What a figure has to reach. */
export interface Goal {
	/** `min`: at least this much; `max`: at most. */
	kind: 'min' | 'max';
	value: number;
	/** Whether the goal is about the ratio, or about our own figure. */
	of: 'ratio' | 'ours';
}

/** One line of the table. */
export interface Measurement {
	/** The row's name, or `row/part` where one row measures several things. */
	name: string;
	what: string;
	/** What a user would have instead; null where the figure stands alone. */
	against: string | null;
	/** Median over the rounds, in `unit`. */
	ours: number;
	/** The same of what it is measured against. */
	theirs: number | null;
	unit: string;
	/**
	 * Median of the ratios of each round, turned so that higher is better for ours: ours/theirs for
	 * what should be much (events/s), theirs/ours for what should be little (seconds, bytes).
	 */
	ratio: number | null;
	must: Goal;
	aim: Goal;
	/** What a reader needs to know to read the figure rightly. */
	note?: string;
}

/** How a row is to be measured. */
export interface Round {
	/** Seconds for a row, small counts, one round: shows that it runs, not how fast. */
	short: boolean;
	/** Says on the console how far the measurement is. */
	report(line: string): void;
}

/** One row of the table, or several that are measured together. */
export interface Benchmark {
	name: string;
	/** Measures, in alternating rounds, and leaves nothing running behind, also when it fails. */
	measure(round: Round): Promise<Measurement[]>;
}
