import { copyFileSync, constants, linkSync, mkdirSync } from 'node:fs';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pLimit from 'p-limit';
import { replaceFile } from './replace-file.ts';
import { isWorldState, type WorldState } from './world-state.ts';

/** What the state of a snapshot is of; another version cannot be restored. */
const VERSION = 2;

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
	/** Replaces the whole state; `placeFiles` restores its files, and fails before anything is replaced. */
	restore: (state: WorldState, placeFiles: (uploads: string) => void) => Promise<void>;
}

/** A snapshot that exists but cannot be read; the message says what to do. */
export class UnreadableSnapshot extends Error {}

/**
 * Snapshots by name: `<name>.json` says what it is and names the folder with its `state.json` and its
 * uploads. These are hard links, since no upload changes once it is written. As that file does, a
 * snapshot appears, is replaced and goes as a whole, however the process ends.
 */
export class Snapshots {
	readonly #folder: string;
	readonly #sources: Sources;
	/** One at a time, so that none is restored while it is replaced. */
	readonly #inTurn = pLimit(1);

	/** @param folder created when the first snapshot is saved */
	constructor(folder: string, sources: Sources) {
		this.#folder = folder;
		this.#sources = sources;
	}

	/** Saves the state at this moment, replacing any snapshot with this name. */
	save(name: string): Promise<SnapshotInfo> {
		return this.#inTurn(async () => {
			await mkdir(this.#folder, { recursive: true });
			const content = await mkdtemp(join(this.#folder, CONTENT));
			try {
				const about = await this.#write(name, content);
				await replaceFile(this.#pathOf(name), JSON.stringify(about));
				return shown(about);
			} finally {
				await this.#tidy();
			}
		});
	}

	/** Restores what was saved, or null if nothing was. */
	restore(name: string): Promise<SnapshotInfo | null> {
		return this.#inTurn(async () => {
			const info = await this.#about(name);
			if (!info) return null;
			const folder = join(this.#folder, info.content ?? '');
			const state = await readJson(join(folder, 'state.json'));
			if (info.version !== VERSION || !isWorldState(state))
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
			const infos = await this.#all();
			return infos.map(shown).sort((a, b) => (a.name < b.name ? -1 : 1));
		});
	}

	/** False if there is none with this name. */
	remove(name: string): Promise<boolean> {
		return this.#inTurn(async () => {
			const isGone = await rm(this.#pathOf(name)).then(() => true, ifMissing(false));
			if (isGone) await this.#tidy();
			return isGone;
		});
	}

	async #write(name: string, folder: string): Promise<About> {
		// All at one moment: nothing happens in the sandbox before the first await.
		const state = this.#sources.state();
		const text = JSON.stringify(state);
		mkdirSync(join(folder, 'uploads'));
		for (const file of this.#sources.files()) link(file, join(folder, 'uploads', basename(file)));
		// Tokens and keys of accounts stand in it.
		await writeFile(join(folder, 'state.json'), text, { mode: 0o600 });
		return {
			version: VERSION,
			content: basename(folder),
			name,
			savedAt: new Date().toISOString(),
			now: new Date(state.now).toISOString(),
			messages: state.stored.messages.length,
		};
	}

	#pathOf(name: string): string {
		return join(this.#folder, name + ABOUT);
	}

	async #about(name: string): Promise<About | null> {
		return (await readJson(this.#pathOf(name))) as About | null;
	}

	async #all(): Promise<About[]> {
		const files = await readdir(this.#folder).catch(ifMissing<string[]>([]));
		const names = files.flatMap((file) => (file.endsWith(ABOUT) ? [basename(file, ABOUT)] : []));
		const infos = await Promise.all(names.map((name) => this.#about(name)));
		return infos.filter((info) => info !== null);
	}

	/** Removes the content that no snapshot has: replaced, deleted, or left by a process that was killed. */
	async #tidy(): Promise<void> {
		const used = new Set((await this.#all()).map(({ content }) => content));
		const files = await readdir(this.#folder);
		const lost = files.filter((file) => file.startsWith(CONTENT) && !used.has(file));
		for (const file of lost) await rm(join(this.#folder, file), { recursive: true, force: true });
	}
}

const ABOUT = '.json';
/** No snapshot's name begins with a dot. */
const CONTENT = '.content-';

interface About extends SnapshotInfo {
	version: number;
	/** The name of the folder with its content. */
	content: string;
}

const shown = ({ version: _, content: _content, ...info }: About): SnapshotInfo => info;

/** Null if it is not there or not JSON. */
async function readJson(path: string): Promise<unknown> {
	const text = await readFile(path, 'utf8').catch(ifMissing(''));
	try {
		return JSON.parse(text) as unknown;
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
