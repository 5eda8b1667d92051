import type { Request, RequestHandler, Response } from 'express';
import { HttpError } from '../core/http-error.ts';
import type { Clock } from '../time/clock.ts';

/** Bodies up to this size are always read; so are those of nearly all events. */
export const SMALL_BYTES = 16 * 1024;

interface BodyOptions {
	/** The most bytes that a body may have. */
	limit: number;
	/** Where bodies above SMALL_BYTES have theirs. */
	memory: BodyMemory;
	isTrusted(request: Request): boolean;
}

/**
 * Reads a body as it came: a signature covers the exact bytes. Not Express's own reader, which keeps each
 * piece that came as an object of its own: of a megabyte sent byte by byte that is a hundred in memory.
 */
export function readBody({ limit, memory, isTrusted }: BodyOptions): RequestHandler {
	return (request, response, next) => {
		const encoding = request.get('content-encoding') ?? 'identity';
		if (encoding.toLowerCase() !== 'identity') {
			const message = `Send the body without a content encoding; it has ${encoding.slice(0, 20)}.`;
			throw new HttpError(400, 'unsupported-encoding', message);
		}
		const most = Number(request.headers['content-length'] ?? limit);
		if (most > limit) throw tooLarge();
		const reading: Reading = {
			isTrusted: isTrusted(request),
			giveUp: () => fail(tooSlow(response)),
		};
		let bytes = Buffer.allocUnsafe(Math.min(most, SMALL_BYTES));
		let length = 0;

		const append = (chunk: Buffer) => {
			length += chunk.copy(bytes, length);
		};
		const onData = (chunk: Buffer) => {
			const needed = length + chunk.length;
			if (needed <= bytes.length) return append(chunk);
			if (needed > most) return fail(tooLarge());
			const size = Math.min(Math.max(needed, 2 * bytes.length), most);
			request.pause();
			memory.take(reading, size - bytes.length, () => {
				const larger = Buffer.allocUnsafeSlow(size);
				bytes.copy(larger, 0, 0, length);
				bytes = larger;
				append(chunk);
				request.resume();
			});
		};
		const onEnd = () => {
			memory.whole(reading);
			request.body = bytes.subarray(0, length);
			next();
		};
		const stop = () => {
			request.off('data', onData).off('end', onEnd);
			memory.release(reading);
		};
		const fail = (error: HttpError) => {
			stop();
			next(error);
		};
		response.once('close', stop);
		request.on('data', onData).on('end', onEnd);
	};
}

function tooLarge(): HttpError {
	return new HttpError(413, 'body-too-large', 'The body is too large.');
}

function tooSlow(response: Response): HttpError {
	response.set('connection', 'close');
	const message = 'The body came slowly, and others were waiting. Send it again.';
	return new HttpError(503, 'too-slow', message);
}

/** Who takes longer to send a body is slow; what it waited for memory does not count. */
const PATIENCE_MS = 2_000;

/** How often to look for slow ones while others wait. */
const LOOK_MS = 100;

/** A body that is being read, or that is whole and not answered yet. */
interface Reading {
	/** Whether its address has sent a valid one before. */
	isTrusted: boolean;
	/** Called at most once, when it must make room for others: its memory is no longer its own. */
	giveUp(): void;
}

/** That somebody waits for so much more, and what to do then. */
interface Wait {
	bytes: number;
	go: () => void;
	since: number;
}

interface Share {
	held: number;
	waiting: Wait | null;
	isWhole: boolean;
	/** When it began, had it never waited. */
	began: number;
}

/**
 * The memory for large bodies, from their bytes to their answers. It counts what has come, so that a sender
 * takes no more of it than it has sent. Where none is left a body waits unread, and who is slow gives up its
 * own: how long strangers take must not be how long the service waits. Before all of a body is there nobody
 * can tell the two apart, but to hold the memory strangers have to fill it anew all the time.
 */
export class BodyMemory {
	private readonly shares = new Map<Reading, Share>();
	private readonly clock: Pick<Clock, 'elapsed' | 'after'>;
	private readonly largest: number;
	private free: number;
	/**
	 * Whose body has the last of the memory to itself: bodies that each have a part and wait for the rest
	 * would wait for each other.
	 */
	private first: Reading | null = null;
	private looksAgain = false;

	/** @param largest bytes that one body may have; `total` is at least twice that */
	constructor(total: number, largest: number, clock: Pick<Clock, 'elapsed' | 'after'>) {
		this.free = total;
		this.largest = largest;
		this.clock = clock;
	}

	/** Calls `go`, at once or later, when the body may have so many bytes more. */
	take(reading: Reading, bytes: number, go: () => void): void {
		const since = this.clock.elapsed();
		const share = this.shares.get(reading) ?? { held: 0, isWhole: false, began: since };
		this.shares.set(reading, { ...share, waiting: { bytes, go, since } });
		this.serve();
	}

	/** All of the body has come: it keeps its memory until it is released. */
	whole(reading: Reading): void {
		const share = this.shares.get(reading);
		if (share) share.isWhole = true;
	}

	/** May be called more than once. */
	release(reading: Reading): void {
		if (!this.forget(reading)) return;
		this.serve();
	}

	private forget(reading: Reading): boolean {
		this.free += this.shares.get(reading)?.held ?? 0;
		if (this.first === reading) this.first = null;
		return this.shares.delete(reading);
	}

	private serve(): void {
		for (let next = this.next(); next !== null; next = this.next()) {
			const [reading, share, { bytes, go, since }] = next;
			const room = this.free - (reading === this.first ? 0 : this.largest);
			const slow = bytes <= room ? null : this.slowFor(reading);
			if (bytes <= room) {
				this.free -= bytes;
				share.held += bytes;
				share.waiting = null;
				share.began += this.clock.elapsed() - since;
				go();
			} else if (slow !== null) {
				this.forget(slow);
				slow.giveUp();
			} else if (this.first === null) {
				this.first = reading;
			} else {
				return this.lookAgain();
			}
		}
	}

	/** The next to get what it waits for: the newest, since those before it may be slow. */
	private next(): [Reading, Share, Wait] | null {
		const all = [...this.shares].flatMap(([reading, share]) =>
			share.waiting === null ? [] : [[reading, share, share.waiting] as const],
		);
		const [best] = [
			all.find(([reading]) => reading === this.first),
			all.findLast(([{ isTrusted }]) => isTrusted),
			all.at(-1),
		].filter((one) => one !== undefined);
		return best === undefined ? null : [...best];
	}

	/** Who keeps this one waiting for too long; strangers do so at once if it is known. */
	private slowFor({ isTrusted }: Reading): Reading | null {
		const before = this.clock.elapsed() - PATIENCE_MS;
		const senders = [...this.shares].filter(([, one]) => !one.isWhole && one.waiting === null);
		const strangers = senders.filter(([reading]) => !reading.isTrusted);
		const slow = (isTrusted && strangers[0]) || senders.find(([, { began }]) => began < before);
		return slow?.[0] ?? null;
	}

	private lookAgain(): void {
		if (this.looksAgain) return;
		this.looksAgain = true;
		this.clock.after(LOOK_MS, () => {
			this.looksAgain = false;
			// After a pause of our own, what has come meanwhile is read first.
			setImmediate(() => this.serve());
		});
	}
}
