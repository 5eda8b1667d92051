import type { Request, Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { sha256Hex } from '../core/fingerprint.ts';
import { HttpError } from '../core/http-error.ts';
import type { Clock } from '../time/clock.ts';

/** Different wrong credentials from one address, within a window. */
const MOST_WRONG = 10;
const WINDOW_MS = 60_000;

/** How long a valid credential exempts its address, and how exactly its time is noted. */
const SPARED_MS = 60 * 60_000;
const NOTED_MS = 1_000;

/** How many addresses of either kind to remember; beyond that the oldest are dropped. */
const MOST_ADDRESSES = 10_000;

/** An IPv6 subscriber has a /64 network. */
const IPV6_SUBNET = 64;

/**
 * Limits guessing by address. Beyond the limit credentials are not checked, so that many tries don't
 * succeed in the end.
 *
 * An address that sent a valid one within the hour is exempt: others behind the same NAT or proxy
 * must not be able to lock out n8n or the service. They can keep guessing, with a 429 for each wrong
 * guess; long secrets protect against that. For all other addresses the limit is strict. Repeating
 * the same wrong credential is not a guess: it is outdated.
 */
export class Guesses {
	private readonly clock: Pick<Clock, 'elapsed'>;
	private readonly wrong = new Map<string, { since: number; credentials: Set<string> }>();
	/** When an address last sent a valid credential. Only valid credentials add entries. */
	private readonly right = new Map<string, number>();

	constructor(clock: Pick<Clock, 'elapsed'>) {
		this.clock = clock;
	}

	/** @throws HttpError 429 while credentials from this address are not checked */
	admit(request: Request, response: Response): void {
		const address = addressOf(request);
		const age = this.clock.elapsed() - (this.right.get(address) ?? -Infinity);
		if (age >= SPARED_MS && this.isOver(address)) throw this.tooMany(address, response);
	}

	/** Whether the address has sent a valid credential since the start. */
	knows(request: Request): boolean {
		return this.right.has(addressOf(request));
	}

	noteRight(request: Request): void {
		const address = addressOf(request);
		const now = this.clock.elapsed();
		// Not at each of thousands of requests a second.
		if (now - (this.right.get(address) ?? -Infinity) < NOTED_MS) return;
		remember(this.right, address, now);
	}

	/**
	 * @param credential null if each one differs, such as a signature
	 * @throws HttpError 429 if the limit is exceeded
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

	/** Wrong credentials within the window. */
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

/** What the limits count by: an IPv4 address or an IPv6 /64 network. */
export function addressOf(request: Request): string {
	return ipKeyGenerator(request.ip ?? '', IPV6_SUBNET);
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
	map.delete(key);
	map.set(key, value);
	const [oldest] = map.keys();
	if (map.size > MOST_ADDRESSES && oldest !== undefined) map.delete(oldest);
}
