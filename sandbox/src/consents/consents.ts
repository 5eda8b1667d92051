import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { checkCustomer, requireAccepted } from '../customers/customer.ts';
import { linkTo, postMail } from '../delivery/mails.ts';
import { json, serviceEndpoint } from '../endpoint/endpoint.ts';
import { html } from '../html/html.ts';
import { addressKey, BAD_RECIPIENTS, readContacts, recipientSchema } from '../http/contacts.ts';
import { serviceError } from '../http/errors.ts';
import { paged, pageOf, pagingSchema } from '../http/paging.ts';
import { CONSENT_STATES, CONSENT_TYPES, consentRecord, type Consent } from '../state/model.ts';
import { judgedLater, named, optional } from '../state/schemas.ts';
import { replyPath } from '../state/signed-links.ts';
import type { World } from '../world/world.ts';

const MAX_DELAY_DAYS = 36_500;

/** Rule CONS-03: the interface does not show the configured default; this is ours. */
const DEFAULT_DELAY_DAYS = 30;

const { email, firstname, lastname, company, identifier, identifierType } =
	consentRecord.shape.contact.shape;

/** Section Consent. */
const shownConsent = named(
	'Consent',
	consentRecord.omit({ accountId: true, contact: true, answeredAt: true }).extend({
		email,
		firstName: firstname,
		lastName: lastname,
		company,
		identifier,
		identifierType,
		consentUrl: z.url().nullable(),
	}),
);

const shown = (world: World, consent: Consent) => {
	const { type, contact } = consent;
	const consentUrl =
		type === 'LINK' ? world.host.url + replyPath(world.links, 'consents', consent) : null;
	const names = { firstName: contact.firstname, lastName: contact.lastname };
	return { ...consent, ...contact, ...names, consentUrl };
};

/** Section POST /consents/bulkStore (rules CONS-01 to CONS-06). */
export const createConsents = serviceEndpoint({
	method: 'post',
	path: '/consents/bulkStore',
	id: 'createConsents',
	summary: 'Ask contacts for their consent',
	body: z
		.object({
			type: z.enum(CONSENT_TYPES),
			delayInDays: optional(z.number().int().min(0).max(MAX_DELAY_DAYS)),
			recipients: z.array(recipientSchema).min(1),
			state: optional(z.enum(CONSENT_STATES)),
			/** Design, open points: the interface does not show which field carries the customer id. */
			sender: optional(z.uuid()),
		})
		.refine(({ type, state }) => type !== 'MANUAL' || state !== null, {
			path: ['state'],
			message: 'needed for MANUAL',
			params: { rule: 'required' },
		}),
	answer: json(z.array(shownConsent), 201),
	errors: { 422: ['consent-bad-recipients', 'customer-not-found', 'customer-not-registered'] },
	handle(world, { caller: { account }, body: { recipients, ...wanted } }) {
		const isManual = wanted.type === 'MANUAL';
		const contacts = readContacts(recipients, 'LS', (invalidRecipients) =>
			serviceError(422, 'consent-bad-recipients', BAD_RECIPIENTS, { invalidRecipients }),
		);
		const customer =
			wanted.sender === null ? null : requireAccepted(world.store, account, wanted.sender);
		return contacts.map((contact) => {
			const consent: Consent = {
				...wanted,
				id: randomUUID(),
				accountId: account.id,
				sender: customer?.id ?? null,
				delayInDays: wanted.delayInDays ?? (isManual ? null : DEFAULT_DELAY_DAYS),
				// A consent requested from a contact starts unanswered, whatever the request says.
				state: (isManual ? wanted.state : null) ?? 'PENDING',
				contact,
				createdAt: world.clock.now(),
				answeredAt: null,
			};
			world.store.put('consents', consent);
			if (consent.type === 'EMAIL') ask(world, consent, '');
			return shown(world, consent);
		});
	},
});

/** Section GET /consents (rule CONS-07). */
export const listConsents = serviceEndpoint({
	method: 'get',
	path: '/consents',
	id: 'listConsents',
	summary: 'The newest consent of each contact',
	query: pagingSchema.extend({ sender: z.uuid().optional() }),
	answer: json(pageOf(shownConsent)),
	errors: { 422: ['customer-not-found'] },
	handle(world, { caller: { account }, query }) {
		const sender =
			query.sender === undefined ? null : checkCustomer(world.store, account, query.sender).id;
		const consents = [...world.store.consents.values()]
			.filter(({ accountId }) => accountId === account.id)
			.filter((consent) => sender === null || consent.sender === sender);
		const { data, meta } = paged(newestPerContact(consents), query);
		return { data: data.map((consent) => shown(world, consent)), meta };
	},
});

/** Section POST /consents/{id}/remind (rule CONS-08). */
export const remindConsent = serviceEndpoint({
	method: 'post',
	path: '/consents/{id}/remind',
	id: 'remindConsent',
	summary: 'Send the mail of a pending EMAIL consent again',
	/** A malformed id is an unknown one. */
	params: z.object({ id: judgedLater(z.uuid()) }),
	answer: json(z.object({ message: z.string() })),
	errors: { 404: ['consent-not-found'], 422: ['consent-cannot-be-reminded'] },
	handle(world, { caller: { account }, params }) {
		const consent = world.store.consents.get(String(params.id).toLowerCase());
		if (consent?.accountId !== account.id)
			throw serviceError(404, 'consent-not-found', 'There is no such consent');
		const { type, state } = consent;
		if (type !== 'EMAIL' || state !== 'PENDING') {
			const why = `Only an EMAIL consent in PENDING can be reminded; this one is ${type} and ${state}`;
			throw serviceError(422, 'consent-cannot-be-reminded', why);
		}
		ask(world, consent, 'Reminder: ');
		return { message: 'The reminder was sent' };
	},
});

/** Asks the contact by mail, or reminds it (rule CONS-09). */
function ask(world: World, consent: Consent, prefix: string): void {
	const sender = world.store.senderName(consent);
	postMail(world, {
		consentId: consent.id,
		to: consent.contact.email,
		subject: `${prefix}${sender} asks for your consent`,
		html: html`<p>${sender} asks to send you letters in electronic form. Do you agree?</p>
			${linkTo(replyPath(world.links, 'consents', consent), 'Answer')}`.text,
	});
}

/** A contact is an address, separate for each customer. */
function newestPerContact(consents: Consent[]): Consent[] {
	const newest = new Map<string, Consent>();
	for (const consent of consents) {
		const key = JSON.stringify([consent.sender, addressKey(consent.contact.email)]);
		// Deleted first so that insertion order stays creation order.
		newest.delete(key);
		newest.set(key, consent);
	}
	return [...newest.values()];
}
