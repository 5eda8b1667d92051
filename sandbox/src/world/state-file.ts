import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod/v4';
import type { ClockState, VirtualClock } from './clock.ts';
import type { IdCounts, Ids } from './ids.ts';
import { readKept } from './kept-file.ts';
import type { SignedLinks } from './signed-links.ts';
import type { Store, StoredState } from './store.ts';

const VERSION = 2;
const SAVE_DELAY_MS = 200;
/** Writing takes at most this share of the time, however large the state has grown. */
const WRITING_SHARE = 0.05;

export interface KeptState extends StoredState {
	version: typeof VERSION;
	clock: ClockState;
	ids: IdCounts | null;
	linkSecret: string;
}

const records = z.array(z.object({ id: z.string() }));
/** Enough to tell a damaged file from a good one. */
const keptSchema = z.object({
	version: z.literal(VERSION, {
		error: ({ input }) =>
			`it is of version ${String(input)}, and this sandbox reads version ${VERSION}`,
	}),
	clock: z.object({}),
	linkSecret: z.string().min(1),
	accounts: records,
	customers: records,
	consents: records,
	messages: records.and(z.array(z.object({ history: z.array(z.unknown()) }))),
	mails: records,
});

/** The state an earlier run left in the folder, or null. @throws FolderError */
export const loadState = (folder: string) => readKept<KeptState>(folder, 'state.json', keptSchema);

interface Parts {
	store: Store;
	clock: VirtualClock;
	ids: Ids;
	links: SignedLinks;
}

/**
 * Keeps the state in one file, replaced as a whole so that it is never half written. Changes are
 * batched for a moment: a killed process loses that moment, a closed one nothing.
 */
export class StateFile {
	readonly #folder: string;
	readonly #parts: Parts;
	readonly #report: (error: unknown) => void;
	#unwatch: () => void;
	#timer: NodeJS.Timeout | undefined;
	#writing: Promise<void> = Promise.resolve();
	#delay = SAVE_DELAY_MS;

	constructor(folder: string, parts: Parts, report: (error: unknown) => void) {
		this.#folder = folder;
		this.#parts = parts;
		this.#report = report;
		this.#unwatch = parts.store.watch(() => {
			this.#timer ??= setTimeout(() => void this.#save().catch(this.#report), this.#delay);
		});
	}

	async close(): Promise<void> {
		this.#unwatch();
		await this.#save();
	}

	/** One at a time: two saves at once would write to the same temporary file. */
	#save(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#writing = this.#writing.catch(() => undefined).then(() => this.#write());
		return this.#writing;
	}

	async #write(): Promise<void> {
		const startedAt = performance.now();
		const { store, clock, ids, links } = this.#parts;
		const state: KeptState = {
			version: VERSION,
			clock: clock.export(),
			ids: ids.counts(),
			linkSecret: links.secret.toString('base64'),
			...store.export(),
		};
		await replace(join(this.#folder, 'state.json'), JSON.stringify(state));
		this.#delay = Math.max(SAVE_DELAY_MS, (performance.now() - startedAt) / WRITING_SHARE);
	}
}

async function replace(path: string, text: string): Promise<void> {
	const file = await open(`${path}.new`, 'w', 0o600);
	try {
		await file.writeFile(text);
		await file.sync();
	} finally {
		await file.close();
	}
	await rename(`${path}.new`, path);
}

/** Creates the upload folder and removes files that the state no longer references. */
export async function prepareUploads(folder: string, store: Store): Promise<string> {
	const uploads = join(folder, 'uploads');
	await mkdir(uploads, { recursive: true });
	const known = new Set(store.files().map(({ id }) => id));
	const lost = (await readdir(uploads)).filter((name) => !known.has(name));
	await Promise.all(lost.map((name) => rm(join(uploads, name), { force: true })));
	return uploads;
}
