import { randomUUID } from 'node:crypto';
import type { Router, Request } from 'express';
import { exactRouter } from '../http/exact-router.ts';
import { z } from 'zod/v4';
import { callerOf } from '../http/authentication.ts';
import { iso } from '../state/clock.ts';
import { consentBody, readConsentRequest, type ConsentRequest } from './consent-request.ts';
import { consentPath } from './consent-reply.ts';
import { addressKey } from '../http/contacts.ts';
import { consentCannotBeReminded, consentNotFound } from '../http/errors.ts';
import { checked } from '../http/field-errors.ts';
import { html } from '../html/html.ts';
import { linkTo, postMail } from '../delivery/mails.ts';
import type { Account, Consent, Contact } from '../state/model.ts';
import { paged, pagingSchema } from '../http/paging.ts';
import { refuseUnknownMembers } from '../http/unknown-members.ts';
import { readBody } from '../http/request-body.ts';
import { checkCustomer, requireAccepted } from '../customers/sender.ts';
import type { World } from '../world/world.ts';

export const consentQuery = pagingSchema.extend({ sender: z.uuid().optional() });

/** Consents (sections POST /consents/bulkStore, GET /consents, POST /consents/{id}/remind). */
export function consentRoutes(world: World): Router {
	const router = exactRouter();
	router.post('/consents/bulkStore', async (request, response) => {
		const { sent } = await readBody(world, request, response, {
			members: consentBody,
			fileField: null,
			jsonFields: ['recipients', 'delayInDays'],
		});
		const { account } = callerOf(response);
		const wanted = readConsentRequest(sent);
		const { sender } = wanted;
		const customer = sender === null ? null : requireAccepted(world.store, account, sender);
		const consents = wanted.contacts.map((contact) =>
			create(world, account, { ...wanted, sender: customer?.id ?? null }, contact),
		);
		response.status(201).json(consents.map((consent) => shownConsent(world, consent)));
	});
	router.get('/consents', (request, response) => {
		if (world.strict) refuseUnknownMembers(consentQuery, request.query);
		const { account } = callerOf(response);
		const consents = newestPerContact(listed(world, account, request));
		response.json(
			paged(
				consents.map((consent) => shownConsent(world, consent)),
				request.query,
			),
		);
	});
	router.post('/consents/:id/remind', (request, response) => {
		const consent = world.store.consents.get(request.params.id.toLowerCase());
		if (consent?.accountId !== callerOf(response).account.id) throw consentNotFound();
		if (consent.type !== 'EMAIL' || consent.state !== 'PENDING')
			throw consentCannotBeReminded(consent.type, consent.state);
		ask(world, consent, 'Reminder: ');
		response.json({ message: 'The reminder was sent' });
	});
	return router;
}

function create(
	world: World,
	account: Account,
	{ type, delayInDays, state, sender }: ConsentRequest,
	contact: Contact,
): Consent {
	const consent: Consent = {
		id: randomUUID(),
		accountId: account.id,
		type,
		state,
		delayInDays,
		sender,
		contact,
		createdAt: world.clock.now(),
		answeredAt: null,
	};
	world.store.put('consents', consent);
	if (type === 'EMAIL') ask(world, consent, '');
	return consent;
}

/** Asks the contact by mail, or reminds it (rule CONS-09). */
function ask(world: World, consent: Consent, prefix: string): void {
	const sender = world.store.senderName(consent);
	postMail(world, {
		consentId: consent.id,
		to: consent.contact.email,
		subject: `${prefix}${sender} asks for your consent`,
		html: html`<p>${sender} asks to send you letters in electronic form. Do you agree?</p>
			${linkTo(consentPath(world, consent), 'Answer')}`.text,
	});
}

function listed({ store }: World, account: Account, { query }: Request): Consent[] {
	const own = [...store.consents.values()].filter(({ accountId }) => accountId === account.id);
	const { sender: wanted } = checked(consentQuery, query);
	if (wanted === undefined) return own;
	const { id } = checkCustomer(store, account, wanted);
	return own.filter(({ sender }) => sender === id);
}

/** Rule CONS-07. A contact is an address, separate for each customer. */
export function newestPerContact(consents: Consent[]): Consent[] {
	const newest = new Map<string, Consent>();
	for (const consent of consents) {
		const key = JSON.stringify([consent.sender, addressKey(consent.contact.email)]);
		// Deleted first so that insertion order stays creation order.
		newest.delete(key);
		newest.set(key, consent);
	}
	return [...newest.values()];
}

/** Section Consent. */
function shownConsent(world: World, consent: Consent) {
	const { id, type, state, delayInDays, contact, sender, createdAt } = consent;
	return {
		id,
		type,
		state,
		delayInDays,
		email: contact.email,
		firstName: contact.firstname,
		lastName: contact.lastname,
		company: contact.company,
		identifier: contact.identifier,
		identifierType: contact.identifierType,
		sender,
		consentUrl: type === 'LINK' ? world.serviceUrl + consentPath(world, consent) : null,
		createdAt: iso(createdAt),
	};
}
