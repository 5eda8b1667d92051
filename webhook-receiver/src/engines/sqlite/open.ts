import { randomUUID } from 'node:crypto';
import {
	accessSync,
	closeSync,
	constants,
	existsSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * One file serves one process. SQLite keeps the file sound; commits are brought to disk
 * by `WriteAheadLog`.
 */
export function openExclusively(file: string): DatabaseSync {
	mkdirSync(dirname(file), { recursive: true });
	// SQLite would say no more than "disk I/O error" of one that is read-only.
	accessSync(dirname(file), constants.W_OK);
	createPrivately(file);
	if (!existsSync(file))
		throw new Error('it is a link to a file that is not there. Name the file.');
	accessSync(file, constants.W_OK);
	// Temporary files too: an image may have room nowhere else.
	process.env.SQLITE_TMPDIR ??= dirname(file);
	const database = new DatabaseSync(file);
	try {
		database.exec(`
			PRAGMA locking_mode = EXCLUSIVE;
			PRAGMA journal_mode = WAL;
			PRAGMA synchronous = NORMAL;
			PRAGMA temp_store = MEMORY;
			PRAGMA secure_delete = ON;
			BEGIN EXCLUSIVE; COMMIT;
		`);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

/**
 * The file holds letters' data, so only its owner may read it. An existing file is left alone:
 * opening and closing it here would drop a lock that this very process holds on it.
 */
export function createPrivately(file: string): void {
	try {
		closeSync(openSync(file, 'wx', 0o600));
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
}

/** How long the receiver that has a file may take to answer another one that asks for it. */
const ANSWER_MS = 3_000;
const LOOK_MS = 500;

interface Claim {
	id: string;
	host: string;
	/** `asks` only until somebody answers, or nobody has. */
	state: 'asks' | 'owns';
}

/**
 * Who has a database file, where locks do not tell: on a network disk mounted without them (NFS `nolock`,
 * SMB `nobrl`) they hold on one machine only. It stands in a file beside the database. A receiver that
 * starts on another machine asks there and waits for an answer. What has no answer for it, since it is
 * stopped or stuck, finds out at its next commit that it has lost the file: each commit is answered only
 * after a look. So the one that takes over reads all that was answered.
 */
export class Owner {
	private readonly path: string;
	private readonly own = { id: randomUUID(), host: hostname() };
	private timer: NodeJS.Timeout | null = null;
	private lostTo: string | null = null;

	/**
	 * Before the file is opened.
	 *
	 * @throws Error in words for operators, if a receiver on another machine has it
	 */
	constructor(databaseFile: string) {
		this.path = `${databaseFile}.owner`;
		const before = this.read();
		// On this machine locks hold: if it is still there, opening the file fails.
		if (before === null || before.host === this.own.host) return;
		this.write('asks');
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ANSWER_MS);
		const after = this.read();
		if (after?.id !== this.own.id) {
			throw new Error(
				`it is in use by a receiver on another machine, ${after?.host ?? before.host}. One file serves one process: stop the other one, or name another file.`,
			);
		}
		this.write('owns');
	}

	/** Once the file is open, and locked as far as locks reach. */
	begin(): void {
		this.write('owns');
		this.timer = setInterval(() => this.answer(), LOOK_MS).unref();
	}

	/** @throws Error once another receiver has the file */
	check(): void {
		this.look();
		if (this.lostTo === null) return;
		throw new Error(
			`a receiver on another machine, ${this.lostTo}, has taken the file over. Stop this one, or name another file`,
		);
	}

	get isLost(): boolean {
		return this.lostTo !== null;
	}

	end(): void {
		if (this.timer !== null) clearInterval(this.timer);
		if (!this.isLost) rmSync(this.path, { force: true });
	}

	/** Answers any process that asks. A failure here also fails the next commit, which says so. */
	private answer(): void {
		try {
			this.look();
		} catch {
			return;
		}
	}

	private look(): void {
		const present = this.read();
		if (this.isLost || present === null || present.id === this.own.id) return;
		if (present.state === 'owns') this.lostTo = present.host;
		else this.write('owns');
	}

	/** Opened anew each time: a network disk asks its server then, and may not for what it has cached. */
	private read(): Claim | null {
		try {
			return JSON.parse(readFileSync(this.path, 'utf8')) as Claim;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError)
				return null;
			throw error;
		}
	}

	/** A process that reads it meanwhile finds one or the other. */
	private write(state: Claim['state']): void {
		const next = `${this.path}.${this.own.id}`;
		writeFileSync(next, JSON.stringify({ ...this.own, state }), { mode: 0o600, flush: true });
		renameSync(next, this.path);
	}
}
