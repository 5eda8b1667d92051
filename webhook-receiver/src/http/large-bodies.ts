import type { RequestHandler } from 'express';
import { Gate } from './gate.ts';

/** Bodies up to this size are always read; so are those of nearly all events. */
const SMALL_BYTES = 16 * 1024;

/** How many larger ones are in memory at once, from the first byte to the answer. */
const AT_ONCE = 8;

/**
 * Lets larger bodies in one after the other, whoever sends them: a hundred megabytes at once would be
 * three times that in memory. The others wait unread, until Node's timeout for requests at most.
 */
export function largeBodies(): RequestHandler {
	const gate = new Gate(AT_ONCE);
	return (request, response, next) => {
		if (Number(request.headers['content-length']) <= SMALL_BYTES) return next();
		void gate.run(async () => {
			if (response.closed) return;
			const answered = Promise.withResolvers<void>();
			response.once('close', answered.resolve);
			next();
			await answered.promise;
		});
	};
}
