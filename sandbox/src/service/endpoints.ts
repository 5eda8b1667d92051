import { createConsents, listConsents, remindConsent } from '../consents/consents.ts';
import { createCustomers, listCustomers } from '../customers/customers.ts';
import { deleteCustomerLogo, setCustomerLogo } from '../customers/logos.ts';
import { readEvidence, readMessage } from '../messages/reading.ts';
import { cancelMessages, rescheduleMessages } from '../messages/rescheduling.ts';
import { resendMessage, resendMessages } from '../messages/resending.ts';
import { sendMessages } from '../messages/sending.ts';

/** The interface. */
export const SERVICE_ENDPOINTS = [
	sendMessages,
	rescheduleMessages,
	cancelMessages,
	resendMessages,
	resendMessage,
	readMessage,
	readEvidence,
	createCustomers,
	listCustomers,
	setCustomerLogo,
	deleteCustomerLogo,
	createConsents,
	listConsents,
	remindConsent,
];
