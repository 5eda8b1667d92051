import { z } from 'zod/v4';
import {
	cancelledSchema,
	consentSchema,
	customerSchema,
	evidenceLinkSchema,
	logoSchema,
	messageId,
	messageSchema,
	pageOf,
	remindedSchema,
	rescheduledSchema,
	sentSchema,
} from './response-schemas.ts';
import { consentBody } from '../consents/consent-request.ts';
import { consentQuery } from '../consents/routes.ts';
import { customersSchema } from '../customers/customer.ts';
import { customerQuery } from '../customers/routes.ts';
import { evidenceTypeSchema } from '../messages/reading.ts';
import { cancelBody, rescheduleBody } from '../messages/rescheduling.ts';
import { resendBody, resendToBody } from '../messages/resending.ts';
import { sendBody } from '../messages/send-request.ts';

export interface Operation {
	method: 'get' | 'post' | 'put' | 'delete';
	path: string;
	id: string;
	summary: string;
	query?: z.ZodObject;
	body?: {
		schema: z.ZodType;
		/** The form field that takes one or several files. */
		files?: { field: string; several: boolean };
		encodings: Array<'json' | 'multipart'>;
		required?: boolean;
	};
	success: { status: number; schema: z.ZodType | null };
	/** Error codes by status, in addition to those of every operation. */
	errors: Record<number, string[]>;
}

const both = ['json', 'multipart'] as Array<'json' | 'multipart'>;
const scheduled = { 404: ['message-not-found'], 422: ['message-not-scheduled'] };
const onlyResellers = { 403: ['forbidden'] };

/** The interface, one entry per endpoint, with the schemas that validate its requests. */
export const OPERATIONS: Operation[] = [
	{
		method: 'post',
		path: '/messages/bulk_send',
		id: 'sendMessages',
		summary: 'Send one message per recipient',
		body: {
			schema: sendBody.omit({ attachments: true }),
			files: { field: 'attachments', several: true },
			encodings: both,
		},
		success: { status: 201, schema: sentSchema },
		errors: {
			405: ['lre-must-use-mtls'],
			422: [
				'message-bad-contacts',
				'customer-not-found',
				'customer-not-registered',
				'lre-for-customer-unavailable',
			],
		},
	},
	{
		method: 'post',
		path: '/messages/bulk_reschedule',
		id: 'rescheduleMessages',
		summary: 'Move scheduled messages to another time',
		body: { schema: rescheduleBody, encodings: both },
		success: { status: 200, schema: rescheduledSchema },
		errors: scheduled,
	},
	{
		method: 'post',
		path: '/messages/bulk_cancel',
		id: 'cancelMessages',
		summary: 'Cancel scheduled messages',
		body: { schema: cancelBody, encodings: both },
		success: { status: 200, schema: cancelledSchema },
		errors: scheduled,
	},
	{
		method: 'post',
		path: '/messages/resend',
		id: 'resendMessages',
		summary: 'Send messages again, all or none',
		body: { schema: resendBody, encodings: both },
		success: { status: 201, schema: z.array(messageId) },
		errors: {
			402: ['payment-request-rejected'],
			404: ['message-not-found'],
			405: ['lre-must-use-mtls'],
			422: ['customer-not-found'],
		},
	},
	{
		method: 'post',
		path: '/messages/{id}/resend',
		id: 'resendMessage',
		summary: 'Send a message again, to its contact or to a new one',
		body: {
			schema: resendToBody,
			encodings: both,
			required: false,
		},
		success: { status: 201, schema: messageId },
		errors: {
			402: ['payment-request-rejected'],
			404: ['message-not-found'],
			405: ['lre-must-use-mtls'],
			422: ['message-bad-contacts', 'customer-not-found'],
		},
	},
	{
		method: 'get',
		path: '/messages/{id}',
		id: 'getMessage',
		summary: 'Status and evidences of a message',
		success: { status: 200, schema: messageSchema },
		errors: { 404: ['message-not-found'] },
	},
	{
		method: 'get',
		path: '/messages/{id}/evidences/{status}',
		id: 'getEvidence',
		summary: 'Signed link to the evidence of one event',
		success: { status: 200, schema: evidenceLinkSchema },
		errors: { 404: ['message-not-found'], 422: ['aes-has-no-evidence'] },
	},
	{
		method: 'post',
		path: '/customers/bulk_store',
		id: 'createCustomers',
		summary: 'Ask customers for delegations, all or none (resellers)',
		body: { schema: customersSchema, encodings: both },
		success: { status: 201, schema: z.strictObject({ customers: z.array(customerSchema) }) },
		errors: onlyResellers,
	},
	{
		method: 'get',
		path: '/customers',
		id: 'listCustomers',
		summary: 'Customers of the reseller',
		query: customerQuery,
		success: { status: 200, schema: pageOf(customerSchema) },
		errors: onlyResellers,
	},
	{
		method: 'put',
		path: '/customers/{id}/logo',
		id: 'setCustomerLogo',
		summary: 'Set the logo of a customer: JPEG or PNG, at most 2 MB',
		body: {
			schema: z.object({}),
			files: { field: 'logo', several: false },
			encodings: ['multipart'],
		},
		success: { status: 200, schema: logoSchema },
		errors: { ...onlyResellers, 400: ['customer-logo-required'], 404: ['customer-not-found'] },
	},
	{
		method: 'delete',
		path: '/customers/{id}/logo',
		id: 'deleteCustomerLogo',
		summary: 'Remove the logo of a customer, if it has one',
		success: { status: 204, schema: null },
		errors: { ...onlyResellers, 404: ['customer-not-found'] },
	},
	{
		method: 'post',
		path: '/consents/bulkStore',
		id: 'createConsents',
		summary: 'Ask contacts for their consent',
		body: { schema: consentBody, encodings: both },
		success: { status: 201, schema: z.array(consentSchema) },
		errors: { 422: ['consent-bad-recipients', 'customer-not-found', 'customer-not-registered'] },
	},
	{
		method: 'get',
		path: '/consents',
		id: 'listConsents',
		summary: 'The newest consent of each contact',
		query: consentQuery,
		success: { status: 200, schema: pageOf(consentSchema) },
		errors: { 422: ['customer-not-found'] },
	},
	{
		method: 'post',
		path: '/consents/{id}/remind',
		id: 'remindConsent',
		summary: 'Send the mail of a pending EMAIL consent again',
		success: { status: 200, schema: remindedSchema },
		errors: { 404: ['consent-not-found'], 422: ['consent-cannot-be-reminded'] },
	},
];

/** Path parameters; `id` is a UUID except for messages. */
export const pathParameter = (path: string, name: string): z.ZodType => {
	if (name === 'status') return evidenceTypeSchema;
	return path.startsWith('/messages/') ? messageId : z.uuid();
};
