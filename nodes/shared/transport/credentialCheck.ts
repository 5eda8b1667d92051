import type { IExecuteFunctions } from 'n8n-workflow';

import { checkedBaseUrl, type DeliveryCredential } from '../../../credentials/authenticate';
import { certificateExpiry, clientTls, hasClientCertificate } from '../../../credentials/clientTls';
import { CREDENTIAL, invalidItem } from '../items/invalidItem';
import { readCredential } from './service';

/** A certificate that expires within this many days gets a hint (rule AUTH-03). */
const EXPIRY_NOTICE_DAYS = 30;

const DAY = 24 * 60 * 60 * 1000;

/** The credential, and what is wrong with it before any request. */
export interface Inspected {
	credential: DeliveryCredential;
	/** Why its address, certificate or key is unusable, or null. */
	problem: string | null;
}

export async function inspectCredential(context: IExecuteFunctions): Promise<Inspected> {
	const credential = await readCredential(context);
	let problem: string | null = null;
	try {
		checkedBaseUrl(credential.baseUrl);
		clientTls(credential);
	} catch (error) {
		problem = (error as Error).message;
	}
	return { credential, problem };
}

/** @throws InvalidItem if it is unusable */
export async function checkedCredential(context: IExecuteFunctions): Promise<DeliveryCredential> {
	const { credential, problem } = await inspectCredential(context);
	if (problem === null) return credential;
	throw invalidItem(CREDENTIAL, problem);
}

/** Why the service could not accept a registered letter with this credential, or null (rules TYPE-01, AUTH-03). */
export function certificateProblem(credential: DeliveryCredential, now: Date): string | null {
	if (!hasClientCertificate(credential)) {
		return 'Registered letters (LRE) need a client certificate. Fill in Client Certificate and Client Key, or PFX, in the credential.';
	}
	const expiry = certificateExpiry(credential);
	if (expiry === null || expiry > now) return null;
	return `The Client Certificate of the credential expired on ${day(expiry)}. Registered letters (LRE) need a valid one.`;
}

/** Warns in the output pane of a certificate that has expired or soon will. */
export function hintAtExpiry(
	context: IExecuteFunctions,
	credential: DeliveryCredential,
	now: Date,
): void {
	const message = expiryHint(certificateExpiry(credential), now);
	if (message === null) return;
	context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}

export function expiryHint(expiry: Date | null, now: Date): string | null {
	if (expiry === null) return null;
	const left = expiry.getTime() - now.getTime();
	if (left <= 0) {
		return `The Client Certificate of the credential expired on ${day(expiry)} and was left out. Registered letters (LRE) will fail until you replace it.`;
	}
	if (left > EXPIRY_NOTICE_DAYS * DAY) return null;
	return `The Client Certificate of the credential expires on ${day(expiry)}. Replace it before then, or registered letters (LRE) will fail.`;
}

function day(date: Date): string {
	return date.toISOString().slice(0, 10);
}
