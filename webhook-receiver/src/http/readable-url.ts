import type { RequestHandler } from 'express';
import { HttpError } from '../core/http-error.ts';

/**
 * Refuses what no store can have and no route can read: `%00`, and a path that is not UTF-8. Takes `//events`
 * for `/events`, as it comes of an address that ends with a slash.
 */
export const readableUrl: RequestHandler = (request, _response, next) => {
	if (request.url.includes('%00') || !isDecodable(request.path)) {
		throw new HttpError(400, 'broken-url', 'The URL has %00 in it, or a % that is no UTF-8.');
	}
	request.url = request.url.replace(/^\/{2,}/, '/');
	next();
};

function isDecodable(path: string): boolean {
	try {
		decodeURIComponent(path);
		return true;
	} catch {
		return false;
	}
}
