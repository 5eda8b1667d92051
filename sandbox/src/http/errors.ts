/** An error response of the interface (section Errors). */
export class ServiceError extends Error {
	readonly status: number;
	readonly body: object;

	constructor(status: number, body: { message: string } | { errors: FieldError[] }) {
		super('message' in body ? body.message : (body.errors[0]?.message ?? 'Invalid request'));
		this.status = status;
		this.body = body;
	}
}

export interface FieldError {
	field: string;
	rule: string;
	message: string;
}

/** An error in one recipient; `index` is its position in the request (rule SEND-11). */
export interface ContactError extends FieldError {
	index: number;
	email: string | null;
}

const coded = (status: number, code: string, message: string, extra: object = {}): ServiceError =>
	new ServiceError(status, { message, code, ...extra } as { message: string });

/** Rule AUTH-01. */
export const unauthorized = () =>
	coded(401, 'unauthorized', 'The API token is missing or not known');

/** Rules TYPE-01, TYPE-02 and AUTH-03. */
export const lreMustUseMtls = (reason: string) =>
	coded(405, 'lre-must-use-mtls', `LRE needs a client certificate: ${reason}`);

/** Rule SEND-11. */
export const badContacts = (problems: ContactError[]) =>
	coded(422, 'message-bad-contacts', 'Some recipients are incomplete or incorrect', {
		data: problems,
	});

/** Rule CONS-05. */
export const badConsentRecipients = (problems: ContactError[]) =>
	coded(422, 'consent-bad-recipients', 'Some recipients are incomplete or incorrect', {
		invalidRecipients: problems,
	});

/** Rule CONS-08. */
export const consentNotFound = () => coded(404, 'consent-not-found', 'There is no such consent');

/** Rule CONS-08. */
export const consentCannotBeReminded = (type: string, state: string) =>
	coded(
		422,
		'consent-cannot-be-reminded',
		`Only an EMAIL consent in PENDING can be reminded; this one is ${type} and ${state}`,
	);

/** Rule CUST-06, for a customer in the path. */
export const unknownCustomer = () => coded(404, 'customer-not-found', 'There is no such customer');

/** Rule CUST-06. */
export const customerLogoRequired = () =>
	coded(400, 'customer-logo-required', 'The field logo needs a file');

/** Rule CUST-08; the interface shows no code for this. */
export const resellersOnly = () =>
	coded(403, 'forbidden', 'Customers are managed by resellers only');

/** Rule AUTH-05. */
export const tooManyRequests = () =>
	coded(429, 'too-many-requests', 'Too many requests; see Retry-After');

/** Rule SEND-06. */
export const customerNotFound = () => coded(422, 'customer-not-found', 'There is no such customer');

/** Rule SEND-06. */
export const customerNotRegistered = (state: string) =>
	coded(422, 'customer-not-registered', `The customer has not accepted the delegation (${state})`);

/** Rule READ-03. */
export const messageNotFound = () => coded(404, 'message-not-found', 'There is no such message');

/** Rule RSND-02; the interface lists no other code for messages that cannot be resent. */
export const notResendable = (id: string, status: string) =>
	coded(404, 'message-not-found', `Message ${id} can not be resent: it is ${status}`);

/** Rule RSND-06. */
export const paymentRejected = () =>
	coded(402, 'payment-request-rejected', 'The payment for the resend was refused');

/** Rule SCHD-05; the interface shows no code for this. */
export const notScheduled = (id: string, status: string) =>
	coded(422, 'message-not-scheduled', `Message ${id} is not scheduled: it is ${status}`);

/** Rule AES-07. */
export const aesHasNoEvidence = () =>
	coded(422, 'aes-has-no-evidence', 'Tracked mail has no evidence');

/** Rule SEND-10; the interface shows no code for this. */
export const lreForCustomerUnavailable = () =>
	coded(422, 'lre-for-customer-unavailable', 'LRE can not be sent for a customer at present');

/** A request body that breaks a rule, in the shape the interface shows for customer creation. */
export const invalid = (...errors: FieldError[]) =>
	coded(422, 'E_VALIDATION_ERROR', errors.map(({ message }) => message).join('; '), {
		data: { errors },
	});

/** A file in a field that takes none. */
export const unexpectedFile = (field: string) =>
	invalid({ field, rule: 'unexpectedFile', message: `${field} takes no file` });

/** Malformed path parameters (rule READ-01). */
export const malformedPath = (errors: FieldError[]) => new ServiceError(422, { errors });

export const badRequest = (message: string) => coded(400, 'bad-request', message);

export const unsupportedMediaType = () =>
	coded(415, 'unsupported-media-type', 'Send application/json or multipart/form-data');

export const routeNotFound = () => coded(404, 'not-found', 'There is no such endpoint');

/** The sandbox's own: no service is reset. */
export const worldReplaced = () =>
	coded(503, 'world-replaced', 'The sandbox was reset while this request was under way');

/** Control API: the message's state does not allow this. */
export const conflict = (message: string) => coded(409, 'conflict', message);

/** Control API: not found. */
export const notFound = (message: string) => coded(404, 'not-found', message);

/** Control API: the thing, or 404. */
export function found<T>(thing: T | undefined, what: string): T {
	if (thing === undefined) throw notFound(`There is no ${what}`);
	return thing;
}
