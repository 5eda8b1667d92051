import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import type { Response } from 'express';
import { HttpError } from '../../core/http-error.ts';
import type { Capability, Kernel } from '../../capability.ts';
import type { Clock } from '../../time/clock.ts';

/** A reader that takes nothing for so long is gone, and the next one may have a copy. */
const STALLED_MS = 60_000;

/** Carries the embedded store away. */
export const backup: Capability = {
	name: 'backup',
	start: (kernel) => ({ routes: backupRoutes(kernel), roles: [['backup', 'use', '/backup']] }),
};

/** `GET /backup`: a copy of the embedded store as it is now, while it is used. */
function backupRoutes({ database, clock, logger }: Kernel): Router {
	const router = Router();

	router.get('/backup', async (_request, response) => {
		const copy = await database.backup();
		if (copy === null) {
			const message = 'The store is in PostgreSQL: use pg_dump or the backups of its server.';
			throw new HttpError(409, 'backup-is-the-database-servers', message);
		}
		response.type('application/vnd.sqlite3').attachment('receiver.sqlite');
		response.set('content-length', String(copy.size));
		endStalled(response, clock);
		try {
			await pipeline(copy.content, response);
			logger.info({ bytes: copy.size }, 'backed up');
		} catch (error) {
			// Too late for an error answer; the client sees that the length does not match.
			logger.warn({ reason: (error as Error).message }, 'a backup broke off');
		}
	});

	return router;
}

/** Ends an answer whose reader has stopped reading. */
function endStalled(response: Response, clock: Clock): void {
	const { socket } = response;
	let before = -1;
	let cancel = () => undefined as void;
	const look = () => {
		const taken = socket?.bytesWritten ?? 0;
		if (taken === before) return response.destroy(new Error('its reader stopped reading'));
		before = taken;
		cancel = clock.after(STALLED_MS, look);
	};
	look();
	response.once('close', () => cancel());
}
