import { z } from 'zod/v4';
import { answerConsent, CONSENT_ANSWERS } from '../consents/consent-reply.ts';
import { answerDelegation, DELEGATION_ANSWERS } from '../customers/delegation-reply.ts';
import { conflict, found } from '../http/errors.ts';
import { TRIGGERS } from '../delivery/lifecycle.ts';
import { CONSENT_STATES, CUSTOMER_STATES, MESSAGE_STATUSES } from '../state/model.ts';
import { controlEndpoint, json } from '../endpoint/endpoint.ts';

const id = z.string();

/** Control API: acts as recipients, customers, consent contacts and the mail network. */
export const PEOPLE_ENDPOINTS = [
	controlEndpoint({
		method: 'post',
		path: '/messages/{id}/{trigger}',
		id: 'actOnMessage',
		summary: 'Trigger an event on a message, as its recipient or the mail network would',
		params: z.object({ id, trigger: z.enum(TRIGGERS) }),
		answer: json(z.object({ id, status: z.enum(MESSAGE_STATUSES) })),
		errors: { 409: ['Not possible in the message’s current state'] },
		handle(world, { params }) {
			const message = found(world.store.messages.get(params.id), `message ${params.id}`);
			if (!world.deliveries.apply(message, params.trigger))
				throw conflict(`A ${message.type} that is ${message.status} takes no "${params.trigger}"`);
			return message;
		},
	}),
	controlEndpoint({
		method: 'post',
		path: '/customers/{id}/{answer}',
		id: 'answerAsCustomer',
		summary: 'Answer a delegation as the customer would',
		params: z.object({ id, answer: z.enum(DELEGATION_ANSWERS) }),
		answer: json(z.object({ id, state: z.enum(CUSTOMER_STATES) })),
		errors: { 409: ['Not possible in the customer’s current state'] },
		handle(world, { params }) {
			const customer = found(world.store.customers.get(params.id), `customer ${params.id}`);
			if (!answerDelegation(world, customer, params.answer))
				throw conflict(`A customer that is ${customer.state} takes no "${params.answer}"`);
			return customer;
		},
	}),
	controlEndpoint({
		method: 'post',
		path: '/consents/{id}/{answer}',
		id: 'answerConsent',
		summary: 'Answer a consent request as the contact would',
		params: z.object({ id, answer: z.enum(CONSENT_ANSWERS) }),
		answer: json(z.object({ id, state: z.enum(CONSENT_STATES) })),
		errors: { 409: ['Not possible in the consent’s current state'] },
		handle(world, { params }) {
			const consent = found(world.store.consents.get(params.id), `consent ${params.id}`);
			if (!answerConsent(world, consent, params.answer))
				throw conflict(`A consent that is ${consent.state} takes no "${params.answer}"`);
			return consent;
		},
	}),
];
