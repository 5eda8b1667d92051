import type { IExecuteFunctions } from 'n8n-workflow';

import { checkedBaseUrl, type DeliveryCredential } from '../../../credentials/authenticate';
import { certificateState, clientTls, type TlsFields } from '../../../credentials/clientTls';
import { CREDENTIAL_LABEL, invalidItem } from '../fields/invalidItem';
import type { NodeContext } from './context';
import { CERTIFICATE_REJECTED } from './networkFailure';
import { withAdvice, type RequestFailure } from './serviceError';

/** n8n's type of it, the only one for all nodes but the Direct Trigger. */
export const CREDENTIAL = 'registeredDeliveryApi';

/** As the user filled it in, from n8n's database: a trigger takes 45 ms for it. */
export async function readCredential(context: NodeContext): Promise<DeliveryCredential> {
	return { ...(await context.getCredentials<DeliveryCredential>(CREDENTIAL)) };
}

/** What tells accounts apart, whatever their tokens. */
export function credentialId(context: NodeContext): string {
	return context.getNode().credentials?.[CREDENTIAL]?.id ?? '';
}

/** A node's credential, and what is wrong with it before any request. */
export interface InspectedCredential {
	/** See {@link credentialId}. */
	id: string;
	/** With `baseUrl` and `caCertificate` as requests need them, if it is usable. */
	credential: DeliveryCredential;
	/** Why its address, certificate or key is unusable, or null. */
	problem: string | null;
	/** Why the service could not accept a registered letter with it, or null (rules TYPE-01, AUTH-03). */
	registeredProblem: string | null;
}

/**
 * The node's credential, the same for all items of a run. Inspected once a run: n8n looks it up in its
 * database and decrypts it every time, and its certificate takes as long to read. The output pane warns of a
 * certificate that has expired or soon will.
 */
export const inspectCredential = oncePerRun(async (context): Promise<InspectedCredential> => {
	const id = credentialId(context);
	const credential = await readCredential(context);
	let problem: string | null = null;
	try {
		credential.baseUrl = checkedBaseUrl(credential.baseUrl);
		credential.caCertificate = clientTls(credential).ca;
	} catch (error) {
		problem = (error as Error).message;
	}
	const { registeredProblem, hint } = certificateState(credential, new Date());
	if (hint !== null) {
		context.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
	}
	return { id, credential, problem, registeredProblem };
});

/**
 * The error of a request, with the expired certificate named where the service may have asked for one: it was left
 * out. Some servers say so in the TLS handshake, others by a page.
 */
export function namingCertificate(error: RequestFailure, credential: TlsFields): RequestFailure {
	const { registeredProblem, hint } = certificateState(credential, new Date());
	const isExpired = registeredProblem !== null && hint !== null;
	const isPage = error.isOwn !== true && [400, 403].includes(error.status ?? 0);
	return isExpired && (isPage || error.message === CERTIFICATE_REJECTED)
		? withAdvice(error, hint)
		: error;
}

/** @throws InvalidItem if it is unusable */
export async function usableCredential(context: IExecuteFunctions): Promise<DeliveryCredential> {
	const { credential, problem } = await inspectCredential(context);
	if (problem === null) return credential;
	throw invalidItem(CREDENTIAL_LABEL, problem);
}

/**
 * Reads once what is the same for all items of a run. A failure is kept, too; the next try of the node has a
 * context of its own.
 *
 * @param read called once for each run and key
 */
export function oncePerRun<T>(
	read: (context: IExecuteFunctions, key?: string) => Promise<T>,
): (context: IExecuteFunctions, key?: string) => Promise<T> {
	const runs = new WeakMap<IExecuteFunctions, Map<string | undefined, Promise<T>>>();
	return async (context, key) => {
		const known = runs.get(context) ?? new Map<string | undefined, Promise<T>>();
		runs.set(context, known);
		const reading = known.get(key) ?? read(context, key);
		known.set(key, reading);
		return await reading;
	};
}
