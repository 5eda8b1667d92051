// What the nightly run tries beyond `npm test`: see CONTRIBUTING, Tests.

const isNightly = process.env.NIGHTLY !== undefined;

/** Both kinds of a thing at night, by day the one that finds nearly everything. */
export const bothAtNight = <T>(day: T, other: T): readonly T[] =>
	isNightly ? [day, other] : [day];

/** How many generated worlds a test tries, or rounds of faults. */
export const tenfoldAtNight = (count: number): number => (isNightly ? 10 * count : count);
