import { pipeline } from 'node:stream/promises';
import { Router } from 'express';
import type { Logger } from 'pino';
import { HttpError } from '../core/http-error.ts';
import type { Store } from '../store/store.ts';

/** `GET /backup`: a copy of the embedded store as it is now, while it is used. */
export function backupRoutes({ store, logger }: { store: Store; logger: Logger }): Router {
	const router = Router();

	router.get('/backup', async (_request, response) => {
		const backup = await store.backup();
		if (backup === null) {
			const message = 'The store is in PostgreSQL: use pg_dump or the backups of its server.';
			throw new HttpError(409, 'backup-is-the-database-servers', message);
		}
		response.type('application/vnd.sqlite3').attachment('receiver.sqlite');
		response.set('content-length', String(backup.size));
		try {
			await pipeline(backup.content, response);
			logger.info({ bytes: backup.size }, 'backed up');
		} catch (error) {
			// Too late for an error answer; the client sees that the length does not match.
			logger.warn({ reason: (error as Error).message }, 'a backup broke off');
		}
	});

	return router;
}
