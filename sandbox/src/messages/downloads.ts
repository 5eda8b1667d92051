import type { Router, Request } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { notFound } from '../http/errors.ts';
import { sendEvidence } from './evidence.ts';
import { isTrackedMail } from '../state/model.ts';
import type { World } from '../world/world.ts';

/** Targets of signed links: no token, just the signature and its expiry (rules READ-04, AES-05). */
export function downloadRoutes(world: World): Router {
	const router = exactRouter();
	const requireSignature = (request: Request): void => {
		if (!world.links.isValid(request.path, request.query, world.clock.now()))
			throw notFound('This link is not valid, or no longer');
	};
	const gone = () => notFound('What this link led to is gone');

	router.get('/evidences/:id/:index', async (request, response) => {
		requireSignature(request);
		const message = world.store.messages.get(request.params.id);
		const entry = message?.history[Number(request.params.index)];
		if (!message || !entry) throw gone();
		await sendEvidence(response, message, entry);
	});

	router.get('/attachments/:id/:attachment', (request, response, next) => {
		requireSignature(request);
		const message = world.store.messages.get(request.params.id);
		const file = message?.attachments.find(({ id }) => id === request.params.attachment);
		if (!message || !file) throw gone();
		// Rule STAT-03: downloading counts as opening; requesting only the headers does not.
		if (isTrackedMail(message.type) && request.method === 'GET')
			world.deliveries.apply(message, 'open');
		response.set('Content-Type', 'application/octet-stream');
		response.set('X-Content-Type-Options', 'nosniff');
		response.download(file.path, file.name, { dotfiles: 'allow' }, (error) => {
			if (error && !response.headersSent) next(error);
		});
	});
	return router;
}
