// What this machine lacks for a test is said in its title, from where `npm test` tells it at its end.

/** `it`, or a skipped one that says what is missing and how to have it. */
export const itOr =
	(missing: string | false | null) =>
	(title: string, test: jest.ProvidesCallback): void =>
		missing ? it.skip(`${title} (skipped: ${missing})`, test) : it(title, test);

/** `describe`, in the same way. */
export const describeOr =
	(missing: string | false | null) =>
	(title: string, tests: () => void): void =>
		missing ? describe.skip(`${title} (skipped: ${missing})`, tests) : describe(title, tests);
