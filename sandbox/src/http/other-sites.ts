import type { NextFunction, Request, Response } from 'express';
import { canBeBought, LOOPBACK_NAMES, nameOf } from './names.ts';
import { ServiceError } from './errors.ts';

/** Which web pages may call the sandbox from a browser. */
export interface SiteRules {
	/** The address listened on. */
	host: string;
	/** The names it is reached by. */
	names: string[];
}

/** Headers by which a browser, and only a browser, says where a request comes from. */
export interface Sent {
	method: string;
	host: string;
	origin: string | undefined;
	/** Sec-Fetch-Site; browsers send it only to HTTPS and loopback. */
	site: string | undefined;
	/** Sec-Fetch-Mode. */
	mode: string | undefined;
}

/**
 * Blocks other web sites from the control API and the pages, which show tokens and steer letters:
 * those that reach the sandbox under their own name (DNS rebinding), and cross-origin requests. Other
 * programs on the same machine count as other sites. Links to pages still work.
 *
 * The service itself needs no such guard: it answers nobody without a token, and no site knows one.
 */
export const refuseOtherSites =
	(rules: SiteRules) =>
	(request: Request, _response: Response, next: NextFunction): void => {
		const problem = siteProblem(rules, sentBy(request));
		if (problem) throw new ServiceError(403, { message: problem });
		next();
	};

/** Why a request is refused, or null. */
export function siteProblem({ host, names }: SiteRules, sent: Sent): string | null {
	// Listening on other addresses without `--name`, it is reached by names it cannot know.
	const knowsNames = LOOPBACK_NAMES.includes(host) || names.length > LOOPBACK_NAMES.length;
	const name = nameOf(sent.host);
	if (!names.includes(name) && (knowsNames || canBeBought(name)))
		return 'The sandbox does not know the name it was asked by. Start it with --name and that name';
	const isLink = ['GET', 'HEAD'].includes(sent.method) && sent.mode === 'navigate';
	if (isLink || !isFromOtherSite(sent)) return null;
	return 'Only for the page of this sandbox';
}

function isFromOtherSite({ host, origin, site }: Sent): boolean {
	if (site !== undefined) return site !== 'none' && site !== 'same-origin';
	// A sandboxed page says `null`, which is no URL.
	return origin !== undefined && URL.parse(origin)?.host !== host.toLowerCase();
}

const sentBy = (request: Request): Sent => ({
	method: request.method,
	host: request.get('host') ?? '',
	origin: request.get('origin'),
	site: request.get('sec-fetch-site'),
	mode: request.get('sec-fetch-mode'),
});
