import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { sha256Hex } from '../core/fingerprint.ts';
import { HttpError } from '../core/http-error.ts';
import type { Clock } from '../time/clock.ts';

/** Different wrong credentials from one address, within a window. */
const MOST_WRONG = 10;
const WINDOW_MS = 60_000;

/** For so long a right credential spares its address. */
const SPARED_MS = 60 * 60_000;

/** Addresses to remember, of either kind; then the oldest are forgotten. */
const MOST_ADDRESSES = 10_000;

/** Of IPv6 a subscriber has 64 bits for himself. */
const IPV6_SUBNET = 64;

/**
 * Limits guessing by address. Beyond the limit credentials are not looked at, or whoever tries
 * often enough would get in.
 *
 * An address from which a right one came within the hour is spared that: others behind the same NAT
 * or proxy must not be able to keep n8n or the service out. So who shares it with them may go on
 * guessing, and gets 429 for each wrong guess; against that a secret must be long. Elsewhere the
 * limit is strict. The same wrong credential again is an outdated one and no guess.
 */
export class Guesses {
	private readonly clock: Pick<Clock, 'elapsed'>;
	private readonly wrong = new Map<string, { since: number; credentials: Set<string> }>();
	/** When a right credential last came from an address. Nobody without one can fill this. */
	private readonly right = new Map<string, number>();

	constructor(clock: Pick<Clock, 'elapsed'>) {
		this.clock = clock;
	}

	/** @throws HttpError 429 if nothing from this address is looked at now */
	admit(request: Request, response: Response): void {
		const address = addressOf(request);
		const age = this.clock.elapsed() - (this.right.get(address) ?? -Infinity);
		if (age >= SPARED_MS && this.isOver(address)) throw this.tooMany(address, response);
	}

	noteRight(request: Request): void {
		remember(this.right, addressOf(request), this.clock.elapsed());
	}

	/**
	 * @param credential null if no two are the same, as signatures
	 * @throws HttpError 429 if that was one too many
	 */
	noteWrong(request: Request, response: Response, credential: string | null): void {
		const address = addressOf(request);
		const isOver = this.isOver(address);
		const { since, credentials } = this.recent(address) ?? {
			since: this.clock.elapsed(),
			credentials: new Set(),
		};
		const name = credential === null ? `#${credentials.size}` : sha256Hex(credential);
		if (credentials.has(name)) return;
		if (isOver) throw this.tooMany(address, response);
		credentials.add(name);
		remember(this.wrong, address, { since, credentials });
	}

	private isOver(address: string): boolean {
		return (this.recent(address)?.credentials.size ?? 0) >= MOST_WRONG;
	}

	/** What was wrong within the window. */
	private recent(address: string) {
		const known = this.wrong.get(address);
		if (known === undefined || this.clock.elapsed() - known.since >= WINDOW_MS) return undefined;
		return known;
	}

	private tooMany(address: string, response: Response): HttpError {
		const endsAt = (this.recent(address)?.since ?? 0) + WINDOW_MS;
		const seconds = Math.ceil((endsAt - this.clock.elapsed()) / 1000);
		response.set('retry-after', String(Math.max(seconds, 1)));
		const message = 'Too many wrong credentials came from this address. Try again later.';
		return new HttpError(429, 'too-many-attempts', message);
	}
}

/** Whom the limits count: an address, or an IPv6 network of 64 bits. */
export function addressOf(request: Request): string {
	return ipKeyGenerator(request.ip ?? '', IPV6_SUBNET);
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
	map.delete(key);
	map.set(key, value);
	const [oldest] = map.keys();
	if (map.size > MOST_ADDRESSES && oldest !== undefined) map.delete(oldest);
}
