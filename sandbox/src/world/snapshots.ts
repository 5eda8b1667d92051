import { copyFileSync, constants, linkSync, mkdirSync } from 'node:fs';
import { mkdtemp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { WorldState } from './world-state.ts';

/** What the state of a snapshot is of; another version cannot be restored. */
const VERSION = 1;

export interface SnapshotInfo {
	name: string;
	/** Real time, ISO 8601. */
	savedAt: string;
	/** The sandbox's time that is restored, ISO 8601. */
	now: string;
	messages: number;
}

interface Sources {
	state: () => WorldState;
	/** Paths of all files that the state refers to. */
	files: () => string[];
	/** Replaces the whole state; `placeFiles` restores its files. */
	restore: (state: WorldState, placeFiles: (uploads: string) => void) => Promise<void>;
}

/** A snapshot that exists but cannot be read; the message says what to do. */
export class UnreadableSnapshot extends Error {}

/**
 * Snapshots by name, each a folder: `about.json`, `state.json` and the uploaded files. These are hard
 * links, since no upload changes once it is written. Each appears, and is replaced, as a whole.
 */
export class Snapshots {
	readonly #folder: string;
	readonly #sources: Sources;
	#turn: Promise<unknown> = Promise.resolve();

	/** @param folder created when the first snapshot is saved */
	constructor(folder: string, sources: Sources) {
		this.#folder = folder;
		this.#sources = sources;
	}

	/** Saves the state at this moment, replacing any snapshot with this name. */
	save(name: string): Promise<SnapshotInfo> {
		return this.#inTurn(async () => {
			await mkdir(this.#folder, { recursive: true });
			// A name of a snapshot begins with no dot.
			const unfinished = await mkdtemp(join(this.#folder, '.new-'));
			try {
				const info = await this.#write(name, unfinished);
				await rm(join(this.#folder, name), { recursive: true, force: true });
				await rename(unfinished, join(this.#folder, name));
				return info;
			} finally {
				await rm(unfinished, { recursive: true, force: true });
			}
		});
	}

	/** Restores what was saved, or null if nothing was. */
	restore(name: string): Promise<SnapshotInfo | null> {
		return this.#inTurn(async () => {
			const info = await this.#about(name);
			if (!info) return null;
			const folder = join(this.#folder, name);
			const state = await readJson<WorldState>(join(folder, 'state.json'));
			if (info.version !== VERSION || !state)
				throw new UnreadableSnapshot(
					`The snapshot ${name} is damaged or of another version of the sandbox. Save it again, or delete it`,
				);
			const files = await readdir(join(folder, 'uploads'));
			await this.#sources.restore(state, (uploads) => {
				for (const file of files) link(join(folder, 'uploads', file), join(uploads, file));
			});
			return shown(info);
		});
	}

	list(): Promise<SnapshotInfo[]> {
		return this.#inTurn(async () => {
			const names = await readdir(this.#folder).catch(ifMissing([]));
			const infos = await Promise.all(names.sort().map((name) => this.#about(name)));
			return infos.flatMap((info) => (info ? [shown(info)] : []));
		});
	}

	/** False if there is none with this name. */
	remove(name: string): Promise<boolean> {
		return this.#inTurn(async () => {
			const names = await readdir(this.#folder).catch(ifMissing<string[]>([]));
			await rm(join(this.#folder, name), { recursive: true, force: true });
			return names.includes(name);
		});
	}

	async #write(name: string, folder: string): Promise<SnapshotInfo> {
		// All at one moment: nothing happens in the sandbox before the first await.
		const state = this.#sources.state();
		const text = JSON.stringify(state);
		mkdirSync(join(folder, 'uploads'));
		for (const file of this.#sources.files()) link(file, join(folder, 'uploads', basename(file)));
		const about: About = {
			version: VERSION,
			name,
			savedAt: new Date().toISOString(),
			now: new Date(state.now).toISOString(),
			messages: state.stored.messages.length,
		};
		// Tokens and keys of accounts stand in it.
		await writeFile(join(folder, 'state.json'), text, { mode: 0o600 });
		await writeFile(join(folder, 'about.json'), JSON.stringify(about));
		return shown(about);
	}

	#about(name: string): Promise<About | null> {
		return readJson<About>(join(this.#folder, name, 'about.json'));
	}

	/** One at a time, so that none is restored while it is replaced. */
	#inTurn<T>(work: () => Promise<T>): Promise<T> {
		const result = this.#turn.catch(() => undefined).then(work);
		this.#turn = result;
		return result;
	}
}

interface About extends SnapshotInfo {
	version: number;
}

const shown = ({ version: _, ...info }: About): SnapshotInfo => info;

/** Null if it is not there or not JSON. */
async function readJson<T>(path: string): Promise<T | null> {
	const text = await readFile(path, 'utf8').catch(ifMissing(''));
	try {
		return JSON.parse(text) as T;
	} catch {
		return null;
	}
}

const ifMissing =
	<T>(instead: T) =>
	(error: NodeJS.ErrnoException): T => {
		if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return instead;
		throw error;
	};

/** A hard link, or a copy where the file system has none. */
function link(from: string, to: string): void {
	try {
		linkSync(from, to);
	} catch (error) {
		const { code = '' } = error as NodeJS.ErrnoException;
		if (code === 'EEXIST') return;
		if (!['EPERM', 'EXDEV', 'ENOTSUP', 'EMLINK'].includes(code)) throw error;
		copyFileSync(from, to, constants.COPYFILE_EXCL);
	}
}
