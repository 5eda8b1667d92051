import { Router } from 'express';
import { z } from 'zod/v4';
import { answerConsent } from '../consents/consent-reply.ts';
import { CONSENT_ANSWERS, nextConsentState } from '../consents/consent-states.ts';
import {
	CUSTOMER_STATES,
	DELEGATION_ANSWERS,
	nextCustomerState,
} from '../customers/customer-states.ts';
import { conflict, notFound } from '../http/errors.ts';
import { checked } from '../http/field-errors.ts';
import { TRIGGERS } from '../messages/lifecycle.ts';
import type { Customer, CustomerState } from '../world/model.ts';
import type { World } from '../world/world.ts';

const stateSchema = z.strictObject({ state: z.enum(CUSTOMER_STATES) });

/** Control API: acts as recipients, customers, consent contacts and the mail network. */
export function peopleControls(world: World): Router {
	const { store } = world;
	const router = Router();
	router.post('/messages/:id/:trigger', (request, response) => {
		const message = store.messages.get(request.params.id);
		const trigger = oneOf(TRIGGERS, request.params.trigger);
		if (!message) throw notFound(`There is no message ${request.params.id}`);
		if (!world.deliveries.apply(message, trigger))
			throw conflict(`A ${message.type} that is ${message.status} takes no "${trigger}"`);
		response.json({ id: message.id, status: message.status });
	});
	router.put('/customers/:id/state', (request, response) => {
		const customer = findCustomer(world, request.params.id);
		const { state } = checked(stateSchema, request.body);
		response.json(changeState(world, customer, state));
	});
	router.post('/customers/:id/:answer', (request, response) => {
		const customer = findCustomer(world, request.params.id);
		const answer = oneOf(DELEGATION_ANSWERS, request.params.answer);
		const state = nextCustomerState(customer.state, answer);
		if (!state) throw conflict(`A customer that is ${customer.state} takes no "${answer}"`);
		response.json(changeState(world, customer, state));
	});
	router.post('/consents/:id/:answer', (request, response) => {
		const consent = store.consents.get(request.params.id);
		const answer = oneOf(CONSENT_ANSWERS, request.params.answer);
		if (!consent) throw notFound(`There is no consent ${request.params.id}`);
		const state = nextConsentState(consent.state, answer);
		if (!state) throw conflict(`A consent that is ${consent.state} takes no "${answer}"`);
		answerConsent(world, consent, state);
		response.json({ id: consent.id, state });
	});
	return router;
}

function findCustomer({ store }: World, id: string): Customer {
	const customer = store.customers.get(id);
	if (!customer) throw notFound(`There is no customer ${id}`);
	return customer;
}

function changeState({ store, clock }: World, customer: Customer, state: CustomerState) {
	customer.state = state;
	customer.updatedAt = clock.now();
	store.changed();
	return { id: customer.id, state };
}

function oneOf<T extends string>(names: readonly T[], sent: string): T {
	const name = names.find((one) => one === sent);
	if (!name) throw notFound(`Use one of ${names.join(', ')}`);
	return name;
}
