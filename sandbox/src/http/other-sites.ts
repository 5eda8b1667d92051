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
		const problem = unknownName(rules, request) ?? otherSite(request);
		if (problem !== null) throw new ServiceError(403, { message: problem });
		next();
	};

function unknownName({ host, names }: SiteRules, request: Request): string | null {
	// Listening on other addresses without `--name`, it is reached by names it cannot know.
	const knowsNames = LOOPBACK_NAMES.includes(host) || names.length > LOOPBACK_NAMES.length;
	const name = nameOf(request.get('host') ?? '');
	if (names.includes(name) || !(knowsNames || canBeBought(name))) return null;
	return 'The sandbox does not know the name it was asked by. Start it with --name and that name';
}

/** By the headers with which a browser, and only a browser, says where a request comes from. */
function otherSite(request: Request): string | null {
	const isLink =
		['GET', 'HEAD'].includes(request.method) && request.get('sec-fetch-mode') === 'navigate';
	return isLink || !isFromOtherSite(request) ? null : 'Only for the page of this sandbox';
}

function isFromOtherSite(request: Request): boolean {
	// Browsers send it only to HTTPS and loopback.
	const site = request.get('sec-fetch-site');
	if (site !== undefined) return site !== 'none' && site !== 'same-origin';
	const origin = request.get('origin');
	// A sandboxed page says `null`, which is no URL.
	return (
		origin !== undefined && URL.parse(origin)?.host !== (request.get('host') ?? '').toLowerCase()
	);
}
