import { iso } from '../world/clock.ts';
import type { Account, Attachment, Mail, Message } from '../world/model.ts';
import type { World } from '../world/world.ts';
import type { AccountAccess } from './state-schemas.ts';

export type { AccountAccess } from './state-schemas.ts';

/** All state except secrets: no token, key, path on disk or webhook secret. */
export function visibleState(world: World) {
	const { store, webhooks, clock } = world;
	return {
		now: iso(clock.now()),
		accounts: [...store.accounts.values()].map(withoutSecrets),
		customers: [...store.customers.values()].map(({ delegationToken: _, ...customer }) => ({
			...customer,
			logo: customer.logo && withoutPath(customer.logo),
			createdAt: iso(customer.createdAt),
			updatedAt: iso(customer.updatedAt),
		})),
		consents: [...store.consents.values()].map((consent) => ({
			...consent,
			createdAt: iso(consent.createdAt),
			answeredAt: isoOrNull(consent.answeredAt),
		})),
		messages: [...store.messages.values()].map(visibleMessage),
		mails: [...store.mails.values()].map(visibleMail),
		webhooks: { endpoints: webhooks.endpoints.map(({ secret: _, ...shown }) => shown) },
	};
}

export const accountsWithSecrets = ({ store }: Pick<World, 'store'>): AccountAccess[] =>
	[...store.accounts.values()].map(({ id, name, company, role, kyc, token, certificates }) => ({
		id,
		name,
		company,
		role,
		kyc,
		token,
		certificate: certificates[0]?.certificate ?? null,
		key: certificates[0]?.key ?? null,
		customers: [...store.customers.values()]
			.filter(({ accountId }) => accountId === id)
			.map((customer) => ({ id: customer.id, name: customer.name, state: customer.state })),
	}));

const withoutSecrets = ({ token: _, certificates, ...account }: Account) => ({
	...account,
	certificates: certificates.map(({ fingerprint, expiresAt, firstUsedAt }) => ({
		fingerprint,
		expiresAt: iso(expiresAt),
		firstUsedAt: isoOrNull(firstUsedAt),
	})),
});

export const visibleMail = (mail: Mail) => ({ ...mail, at: iso(mail.at) });

export const visibleMessage = (message: Message) => ({
	...message,
	attachments: message.attachments.map(withoutPath),
	createdAt: iso(message.createdAt),
	scheduledAt: isoOrNull(message.scheduledAt),
	sentAt: isoOrNull(message.sentAt),
	history: message.history.map((entry) => ({ ...entry, at: iso(entry.at) })),
});

const withoutPath = ({ path: _, ...shown }: Attachment) => shown;

const isoOrNull = (moment: number | null): string | null => (moment === null ? null : iso(moment));
