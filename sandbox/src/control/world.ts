import { z } from 'zod/v4';
import { nameOf } from '../http/names.ts';
import { serviceDocument } from '../service/document.ts';
import { webhookEndpointSchema } from '../webhooks/webhook-endpoint.ts';
import { publishedKeys } from '../webhooks/webhook-signing.ts';
import { moment } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { controlEndpoint, json, text } from '../endpoint/endpoint.ts';
import { shownEndpointSchema, stateSchema } from './state.ts';

const TEN_YEARS_MS = 10 * 365 * 86_400_000;

/** A document in its own format. */
const documentSchema = z.looseObject({});

const clockSchema = z.object({
	now: moment,
	/** Whether time stands there. */
	frozen: z.boolean(),
	/** That this is no service: letters of it are worth nothing, and its time can be moved. */
	sandbox: z.literal(true),
});

const rateLimitSchema = z.strictObject({
	requests: z.number().int().min(1),
	seconds: z.number().min(0.001),
});

/** Control API for the sandbox as a whole: its state, time, webhooks and rate limit. */
export const WORLD_ENDPOINTS = [
	controlEndpoint({
		method: 'get',
		path: '/state',
		id: 'getState',
		summary: 'Everything except secrets',
		answer: json(stateSchema),
		handle: ({ clock, store, webhooks }) => ({
			now: clock.now(),
			...store.export(),
			webhooks: { endpoints: webhooks.endpoints },
		}),
	}),
	controlEndpoint({
		method: 'post',
		path: '/reset',
		id: 'reset',
		summary: 'Restore the seeds, with the same credentials and IDs',
		answer: json(z.strictObject({ reset: z.literal(true) })),
		async handle(world) {
			await world.reset();
			return { reset: true as const };
		},
	}),
	controlEndpoint({
		method: 'post',
		path: '/clock/advance',
		id: 'advanceClock',
		summary: 'Advance the time; everything due by then happens',
		body: z.strictObject({ ms: z.number().int().min(0).max(TEN_YEARS_MS) }),
		answer: json(
			clockSchema.extend({
				happened: z
					.record(z.string(), z.number().int())
					.describe('To how many letters what happened: `expire`, say'),
			}),
		),
		handle(world, { body }) {
			const before = happenings(world);
			world.scheduler.advance(body.ms);
			world.news.tellChange();
			const happened = Object.entries(happenings(world))
				.map(([what, count]): [string, number] => [what, count - (before[what] ?? 0)])
				.filter(([, count]) => count > 0);
			return { ...shownClock(world), happened: Object.fromEntries(happened) };
		},
	}),
	controlEndpoint({
		method: 'put',
		path: '/clock',
		id: 'setClock',
		summary: 'Set the time, running or frozen; everything due by then happens',
		body: z.strictObject({
			now: z.iso.datetime({ offset: true }).optional().describe('As it is, if left out'),
			frozen: z.boolean().describe('While true, only this call and an advance change the time'),
		}),
		answer: json(clockSchema),
		handle(world, { body: { now, frozen } }) {
			world.scheduler.setTime(now === undefined ? world.clock.now() : Date.parse(now), frozen);
			world.news.tellChange();
			return shownClock(world);
		},
	}),
	controlEndpoint({
		method: 'get',
		path: '/clock',
		id: 'getClock',
		summary: 'The current time, whether it is frozen, and that this is a sandbox',
		answer: json(clockSchema),
		handle: shownClock,
	}),
	controlEndpoint({
		method: 'put',
		path: '/address',
		id: 'setAddress',
		summary:
			'Set the service’s public address, used in links and in its certificate until the sandbox stops',
		body: z.strictObject({
			url: z
				.url({ protocol: /^https$/ })
				.refine((url) => new URL(url).origin === url, 'must be an origin: https://host:port'),
		}),
		answer: json(z.strictObject({ url: z.string() })),
		async handle({ host }, { body }) {
			await host.addName(nameOf(new URL(body.url).host));
			host.url = body.url;
			return body;
		},
	}),
	controlEndpoint({
		method: 'put',
		path: '/webhooks',
		id: 'setWebhooks',
		summary: 'Set the webhook endpoints',
		body: z.strictObject({ webhooks: z.array(webhookEndpointSchema) }),
		answer: json(z.object({ webhooks: z.array(shownEndpointSchema) })),
		handle(world, { body: { webhooks } }) {
			world.webhooks.endpoints = webhooks;
			return { webhooks };
		},
	}),
	controlEndpoint({
		method: 'put',
		path: '/rate-limit',
		id: 'setRateLimit',
		summary: 'Limit requests per account; more get a 429 with Retry-After',
		body: rateLimitSchema,
		answer: json(z.strictObject({ rateLimit: rateLimitSchema })),
		handle({ rateLimiter }, { body }) {
			rateLimiter.set(body);
			return { rateLimit: body };
		},
	}),
	controlEndpoint({
		method: 'delete',
		path: '/rate-limit',
		id: 'clearRateLimit',
		summary: 'Remove the rate limit',
		answer: json(z.strictObject({ rateLimit: z.null() })),
		handle({ rateLimiter }) {
			rateLimiter.set(null);
			return { rateLimit: null };
		},
	}),
	controlEndpoint({
		method: 'get',
		path: '/ca.pem',
		id: 'getCaCertificate',
		summary: 'The certificate authority that clients must trust',
		answer: text('application/x-pem-file', z.string()),
		handle: ({ host }) => host.caCertificate,
	}),
	controlEndpoint({
		method: 'get',
		path: '/openapi.json',
		id: 'getServiceDescription',
		summary: 'The OpenAPI description of the service',
		answer: json(documentSchema),
		handle: () => serviceDocument(),
	}),
	controlEndpoint({
		method: 'get',
		path: '/jwks.json',
		id: 'getSigningKeys',
		summary: 'The public key for webhooks signed with `jwks`',
		answer: json(z.strictObject({ keys: z.array(documentSchema) })),
		handle: () => publishedKeys() as { keys: Array<Record<string, unknown>> },
	}),
];

/** How often each thing has happened to a letter. */
function happenings({ store }: World): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { history } of store.messages.values())
		for (const { what } of history) counts[what] = (counts[what] ?? 0) + 1;
	return counts;
}

function shownClock({ clock }: World) {
	return { now: clock.now(), frozen: clock.isFrozen, sandbox: true as const };
}
