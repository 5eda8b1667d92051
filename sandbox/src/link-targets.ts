import type { Router } from 'express';
import { consentReplyRoutes } from './consents/consent-reply.ts';
import { delegationReplyRoutes } from './customers/delegation-reply.ts';
import { exactRouter } from './http/exact-router.ts';
import { logoDownloads } from './customers/logos.ts';
import { answerPeople } from './html/person-page.ts';
import { downloadRoutes } from './messages/downloads.ts';
import { letterReplyRoutes } from './messages/letter-reply.ts';
import { html } from './html/html.ts';
import type { World } from './world/world.ts';

/** Targets of links in mails and responses; they carry a signature instead of a token. */
export function linkTargets(world: World): Router {
	const router = exactRouter();
	router.use(downloadRoutes(world));
	router.use(logoDownloads(world));
	router.use(letterReplyRoutes(world));
	router.use(delegationReplyRoutes(world));
	router.use(consentReplyRoutes(world));
	router.use(
		answerPeople(html`<p>Links in mails are valid for a time. Ask the sender for a new one.</p>`),
	);
	return router;
}
