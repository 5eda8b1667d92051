// What the nightly run tries beyond `npm test`: see test/README.md.

export const isNightly = process.env.NIGHTLY !== undefined;

/** All kinds of a thing at night, by day the one that finds nearly everything. */
export const allAtNight = <T>(day: T, ...others: T[]): readonly T[] =>
	isNightly ? [day, ...others] : [day];

/** How many generated worlds a test tries, or rounds of faults. */
export const tenfoldAtNight = (count: number): number => (isNightly ? 10 * count : count);

/** A test that runs only at night. */
export const itAtNight = (name: string, test: () => Promise<void>): void => {
	if (isNightly) it(name, test);
};
