import { Router } from 'express';
import { z } from 'zod/v4';
import { readQuery, sliceSchema, sliced } from '../../http/routes.ts';
import { iso } from '../../time/iso.ts';
import { attentionOf } from './texts.ts';
import type { AlertRecord } from './decide.ts';
import type { Alerts } from './record.ts';

const attentionSliceSchema = sliceSchema.extend({
	state: z.enum(['open', 'over']).default('open'),
});

/**
 * `GET /attention`: what needs a person, as of the last look; or what is over, and what was lost. With how many
 * wake-ups are dead.
 */
export function attentionRoutes(alerts: Alerts): Router {
	const router = Router();

	router.get('/attention', async (request, response) => {
		const { state, ...slice } = readQuery(request, attentionSliceSchema);
		const open = await alerts.open();
		const deadWakeUps = open.find(({ kind }) => kind === 'wake-ups-dead')?.count ?? 0;
		const { data, next } =
			state === 'open'
				? { data: open, next: null }
				: await sliced(slice, 'before', alerts.over, ({ id }) => id);
		response.json({ data: data.map(toView), next, deadWakeUps });
	});

	return router;
}

export type AttentionView = ReturnType<typeof toView>;

function toView(alert: AlertRecord) {
	const { id, subject, endedAt } = alert;
	return {
		id,
		...attentionOf(alert, 'begun'),
		/** Key of the workflow's consumer; null for the receiver as a whole. */
		consumer: subject || null,
		endedAt: iso(endedAt),
	};
}
