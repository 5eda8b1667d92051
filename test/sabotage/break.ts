/** One small break of the product, and the test file that must notice it. */
export interface Break {
	/** What goes wrong, in a few words. */
	name: string;
	/** From the root of the repository. */
	file: string;
	/** Stands there once. */
	from: string;
	to: string;
	/** Below `test/`, without `.test.ts`. */
	test: string;
	/** Part of the titles to run, where the file takes long. */
	title?: string;
}

/** The file's text with the break. @throws Error if it does not fit its place */
export function broken(text: string, { name, file, from, to }: Break): string {
	const parts = text.split(from);
	if (parts.length !== 2)
		throw new Error(`"${name}": ${file} has ${parts.length - 1} times what it replaces: ${from}`);
	return parts.join(to);
}
