import { z } from 'zod/v4';
import { webhookEndpointSchema } from '../webhooks/webhook-endpoint.ts';
import { accountRecord, customerRecord, moment, RECORDS } from '../state/model.ts';
import type { World } from '../world/world.ts';
import { named } from '../state/schemas.ts';

// What the control API shows of the sandbox's state. Times are ISO 8601 in UTC, of the sandbox's clock.

const text = z.string().nullable();

/** A webhook endpoint without its secret. */
export const shownEndpointSchema = named(
	'WebhookEndpoint',
	z.object(webhookEndpointSchema.shape).omit({ secret: true }),
);

/** All state except secrets: no token, key, path on disk or webhook secret. */
export const stateSchema = named(
	'State',
	z.object({
		now: moment,
		accounts: z.array(RECORDS.accounts),
		customers: z.array(RECORDS.customers),
		consents: z.array(RECORDS.consents),
		messages: z.array(RECORDS.messages),
		mails: z.array(RECORDS.mails),
		webhooks: z.object({ endpoints: z.array(shownEndpointSchema) }),
	}),
);

/** Everything a person needs to connect as an account: token, certificate and key. */
export const accountAccessSchema = named(
	'AccountAccess',
	accountRecord.pick({ id: true, name: true, company: true, role: true, kyc: true }).extend({
		token: z.string(),
		certificate: text,
		key: text,
		customers: z.array(customerRecord.pick({ id: true, name: true, state: true })),
	}),
);
export type AccountAccess = z.infer<typeof accountAccessSchema>;

export const accountsWithSecrets = ({ store }: Pick<World, 'store'>): AccountAccess[] =>
	[...store.accounts.values()].map((account) =>
		accountAccessSchema.parse({
			...account,
			certificate: account.certificates[0]?.certificate ?? null,
			key: account.certificates[0]?.key ?? null,
			customers: [...store.customers.values()].filter(({ accountId }) => accountId === account.id),
		}),
	);
