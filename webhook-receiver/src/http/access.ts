import { Router } from 'express';
import type { Request, RequestHandler, Response } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { ReceiverConfig } from '../config/read-config.ts';
import { sha256Hex } from '../core/fingerprint.ts';
import { HttpError } from '../core/http-error.ts';
import { anyEqual } from '../core/verifiers/shared-secret.ts';
import type { Clock } from '../time/clock.ts';

/** What the bearer of a token may ask. The one of `MANAGEMENT_TOKEN` may ask everything. */
export type Role = 'management' | 'n8n' | 'operator' | 'backup' | 'metrics';

/** `use`: any. */
export type Method = 'get' | 'put' | 'post' | 'delete' | 'use';

/** Notes who was refused, and why: the service with a wrong secret, or an n8n with an old token. */
export type NoteRefusal = (kind: 'events-refused' | 'pulls-refused', reason: string) => void;

/** The tokens, and whose they are. */
export function tokensOf(config: ReceiverConfig): Array<[Role, readonly string[]]> {
	return [
		['management', config.MANAGEMENT_TOKEN],
		['n8n', config.N8N_TOKEN],
		['operator', config.OPERATOR_TOKEN],
		['backup', config.BACKUP_TOKEN],
		['metrics', config.METRICS_TOKEN],
	];
}

/** An operator sees and mends everything, but does not carry the whole store away. */
const isAllowed = (own: Role, needed: Role) =>
	own === 'management' || own === needed || (own === 'operator' && needed !== 'backup');

/**
 * Lets requests through whose token has this role. The first of these that a request meets decides, so
 * exceptions come before the rule.
 */
export function only(needed: Role): RequestHandler {
	return (_request, response, next) => {
		const { role, isDecided } = response.locals as { role: Role; isDecided?: true };
		if (isDecided !== true && !isAllowed(role, needed)) {
			const message = `The token of the role ${role} may not ask this: it takes one of the role ${needed}, or MANAGEMENT_TOKEN.`;
			throw new HttpError(403, 'forbidden', message);
		}
		response.locals.isDecided = true;
		next();
	};
}

/** Lets requests through by the role that their route needs; an operator's where none is named. */
export function forRoles(named: ReadonlyArray<readonly [Role, Method, path: string]>): Router {
	const router = Router();
	for (const [role, method, path] of named) router[method](path, only(role));
	router.use(only('operator'));
	return router;
}

/** Requires a token, and notes its role. */
export function requireToken(
	tokens: ReadonlyArray<[Role, readonly string[]]>,
	guesses: Guesses,
	noteRefusal: NoteRefusal,
): RequestHandler {
	return (request, response, next) => {
		const given = tokenOf(request);
		if (given !== '') {
			guesses.admit(request, response);
			// All of them are compared, so that the time does not tell which role a guess is near to.
			const [found] = tokens.filter(([, own]) => anyEqual(given, own));
			if (found !== undefined) {
				guesses.noteRight(request);
				[response.locals.role] = found;
				return next();
			}
			guesses.noteWrong(request, response, given);
			if (request.path.endsWith('/pull')) noteRefusal('pulls-refused', 'its token is wrong');
		}
		response.set('www-authenticate', 'Bearer');
		throw new HttpError(401, 'unauthorized', 'The management token is missing or wrong.');
	};
}

/** Answers who has no token with nothing, and no challenge: providers try an address before they use it. */
export const answerTry: RequestHandler = (request, response, next) => {
	if (tokenOf(request) !== '') return next();
	response.status(204).end();
};

/**
 * As bearer, or in `X-Management-Token`, which comes first, since a proxy in front may want `Authorization`
 * for itself.
 */
function tokenOf(request: Request): string {
	const bearer = /^Bearer +(.+)$/i.exec(request.get('authorization') ?? '')?.[1];
	return request.get('x-management-token') || (bearer ?? '');
}

/** Different wrong credentials from one address, within a window. */
const MOST_WRONG = 10;
const WINDOW_MS = 60_000;

/** How long a valid credential exempts its address. */
const EXEMPT_MS = 60 * 60_000;

/** How many addresses of either kind to remember; beyond that the oldest are dropped. */
const MOST_ADDRESSES = 10_000;

/**
 * Limits guessing by address. Beyond the limit credentials are not checked, so that many tries don't
 * succeed in the end.
 *
 * An address that sent a valid one within the hour is exempt: others behind the same NAT or proxy
 * must not be able to lock out n8n or the service. They can keep guessing, with a 429 for each wrong
 * guess; long secrets protect against that. For all other addresses the limit is strict. Repeating
 * the same wrong credential is not a guess: it is outdated.
 *
 * Not a library for rate limits: those count requests rather than credentials, and by the wall clock,
 * so one that is set back by an hour would lock addresses out for an hour.
 */
export class Guesses {
	private readonly wrong: LRUCache<string, Set<string>>;
	/** Only valid credentials add entries. */
	private readonly right: LRUCache<string, true>;

	constructor({ elapsed }: Pick<Clock, 'elapsed'>) {
		const limits = { max: MOST_ADDRESSES, perf: { now: elapsed }, ttlResolution: 0 };
		// The cache counts the last millisecond in: who comes again at Retry-After is let in.
		this.wrong = new LRUCache({ ...limits, ttl: WINDOW_MS - 1, noUpdateTTL: true });
		this.right = new LRUCache({ ...limits, ttl: EXEMPT_MS });
	}

	/** @throws HttpError 429 while credentials from this address are not checked */
	admit(request: Request, response: Response): void {
		const address = addressOf(request);
		if (!this.right.has(address) && this.isOver(address)) throw this.tooMany(address, response);
	}

	/** Whether the address has sent a valid credential within the hour. */
	trusts(request: Request): boolean {
		return this.right.has(addressOf(request));
	}

	noteRight(request: Request): void {
		this.right.set(addressOf(request), true);
	}

	/**
	 * @param credential null if each one differs, such as a signature
	 * @throws HttpError 429 if the limit is exceeded
	 */
	noteWrong(request: Request, response: Response, credential: string | null): void {
		const address = addressOf(request);
		const known = this.wrong.get(address) ?? new Set();
		const name = credential === null ? `#${known.size}` : sha256Hex(credential);
		if (known.has(name)) return;
		if (this.isOver(address)) throw this.tooMany(address, response);
		this.wrong.set(address, known.add(name));
	}

	private isOver(address: string): boolean {
		return (this.wrong.get(address)?.size ?? 0) >= MOST_WRONG;
	}

	private tooMany(address: string, response: Response): HttpError {
		const seconds = Math.ceil(this.wrong.getRemainingTTL(address) / 1000);
		response.set('retry-after', String(Math.max(seconds, 1)));
		const message = 'Too many wrong credentials came from this address. Try again later.';
		return new HttpError(429, 'too-many-attempts', message);
	}
}

/** What is counted by: an IPv4 address, or the /64 network that an IPv6 subscriber has. */
function addressOf({ ip = '' }: Request): string {
	if (!ip.includes(':') || !ipaddr.isValid(ip)) return ip;
	const address = ipaddr.process(ip);
	return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}
