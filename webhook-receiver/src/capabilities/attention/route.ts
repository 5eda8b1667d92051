import { Router } from 'express';
import { z } from 'zod/v4';
import type { Alert } from '../../capability.ts';
import { readQuery, sliceSchema, sliced } from '../../http/routes.ts';
import { iso } from '../../time/iso.ts';
import { attentionOf } from './texts.ts';
import type { AlertRecord, Alerts } from './record.ts';

const attentionSliceSchema = sliceSchema.extend({
	state: z.enum(['open', 'over']).default('open'),
});

/**
 * `GET /attention`: what needs a person, all at once, in the figures of this moment; or what is over, and what
 * was lost. With how many wake-ups are dead.
 */
export function attentionRoutes(attention: Alerts, told: () => Promise<Alert[]>): Router {
	const router = Router();

	router.get('/attention', async (request, response) => {
		const { state, ...slice } = readQuery(request, attentionSliceSchema);
		const present = new Map((await told()).map((one) => [one.kind, one]));
		const deadWakeUps = present.get('wake-ups-dead')?.count ?? 0;
		if (state === 'over') {
			const { data, next } = await sliced(slice, 'before', attention.over, ({ id }) => id);
			response.json({ data: data.map(toView), next, deadWakeUps });
			return;
		}
		const open = (await attention.open()).map((one) => {
			const { count = one.count, reason = one.reason } = present.get(one.kind) ?? {};
			return toView({ ...one, count, reason });
		});
		response.json({ data: open, next: null, deadWakeUps });
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
