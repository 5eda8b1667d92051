import type { Request, RequestHandler } from 'express';
import { Gate } from './gate.ts';

/** Bodies up to this size are always read; so are those of nearly all events. */
const SMALL_BYTES = 16 * 1024;

/** How many larger ones are in memory at once, from the first byte to the answer. */
const OF_KNOWN = 6;
const OF_STRANGERS = 2;

/**
 * Lets larger bodies in one after the other: a hundred megabytes at once would be three times that in
 * memory. The others wait unread, until Node's timeout for requests at most. Strangers who send slowly
 * hold up only strangers.
 *
 * @param isKnown whether the address of a request has sent a valid one before
 */
export function largeBodies(isKnown: (request: Request) => boolean): RequestHandler {
	const known = new Gate(OF_KNOWN);
	const strangers = new Gate(OF_STRANGERS);
	return (request, response, next) => {
		if (Number(request.headers['content-length']) <= SMALL_BYTES) return next();
		void (isKnown(request) ? known : strangers).run(async () => {
			if (response.closed) return;
			const answered = Promise.withResolvers<void>();
			response.once('close', answered.resolve);
			next();
			await answered.promise;
		});
	};
}
