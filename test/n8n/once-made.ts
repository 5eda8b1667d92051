import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { alone } from './alone.ts';
import { localFolder, root } from './folders.ts';

/** Something that takes long to make, and is the same for everybody as long as its inputs are. */
export interface OnceMade {
	name: string;
	/** Files and folders below the root whose contents decide what is made. */
	inputs: readonly string[];
	/** What else decides. */
	version?: string;
	/** Fills the empty folder. */
	make(folder: string): Promise<void>;
}

/** Copies it into the folder; makes it first if no process has done so for exactly these inputs. */
export async function copyOnceMade(
	{ name, inputs, version = '', make }: OnceMade,
	to: string,
): Promise<void> {
	const folder = join(localFolder, 'made', name);
	const stamp = `${folder}.inputs`;
	await alone(folder, async () => {
		const wanted = (await digestOf(inputs)) + version;
		if ((await readFile(stamp, 'utf8').catch(() => null)) !== wanted) {
			// A run that is cut off leaves no stamp.
			await rm(stamp, { force: true });
			await rm(folder, { recursive: true, force: true });
			await mkdir(folder, { recursive: true });
			await make(folder);
			await writeFile(stamp, wanted);
		}
		await cp(folder, to, { recursive: true, verbatimSymlinks: true });
	});
}

async function digestOf(inputs: readonly string[]): Promise<string> {
	const hash = createHash('sha256');
	for (const input of inputs) {
		for (const file of await filesIn(input))
			hash
				.update(`${file}\0`)
				.update(await readFile(join(root, file)))
				.update('\0');
	}
	return hash.digest('hex');
}

/** The path itself if it is a file. */
async function filesIn(path: string): Promise<string[]> {
	if ((await stat(join(root, path))).isFile()) return [path];
	const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
		.sort();
}
