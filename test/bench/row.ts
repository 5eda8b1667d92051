/** One line of the table: what it measures, and its goal. */
export interface Line {
	what: string;
	/** Of things per second more is better (`events/s`), of everything else less (`ms`, `MB`). */
	unit: string;
	/**
	 * `ratio`: at least this many times as good as the peer. `ours`: at most this much. `excess`:
	 * at most this much more than the peer.
	 */
	goal: 'ratio' | 'ours' | 'excess';
	must: number;
	aim: number;
	/** What a reader needs to know to interpret the figure. */
	note?: string;
}

/** One side's figures of one round, by line name. */
export type Side<Name extends string> = () => Promise<Record<Name, number>>;

/** Both sides, started and ready for repeated measuring. */
export interface Sides<Name extends string> {
	ours: Side<Name>;
	/** What a user would have instead; absent for standalone figures. */
	theirs?: Side<Name>;
}

/** What is measured together: one line of the table, or several. */
export interface Row<Name extends string = string> {
	name: string;
	/** What a user would have instead; null for standalone figures. */
	peer: string | null;
	lines: Record<Name, Line>;
	rounds: number;
	/** An extra first round that does not count: it loads and compiles code. */
	warmUp?: true;
	/** Once n8n runs it competes with everything that follows, so these rows come last. */
	n8n?: true;
	/**
	 * Starts both sides. Everything it starts is ended after the row, see `clean-up.ts`.
	 *
	 * @param short small counts: shows that it runs, not how fast
	 */
	start(short: boolean): Promise<Sides<Name>>;
}

/** Lets the compiler check that a row measures exactly the lines it names. */
export function defineRow<Name extends string>(row: Row<Name>): Row {
	return row;
}
