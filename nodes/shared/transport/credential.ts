import type { IExecuteFunctions } from 'n8n-workflow';

import { checkedBaseUrl, type DeliveryCredential } from '../../../credentials/authenticate';
import { certificateState, clientTls } from '../../../credentials/clientTls';
import { CREDENTIAL_LABEL, invalidItem } from '../items/invalidItem';
import { oncePerRun } from '../items/oncePerRun';
import { chosenCredential, serviceCredential } from './chosenCredential';

/** A node's credential, and what is wrong with it before any request. */
export interface Inspected {
	/** With `baseUrl` as requests need it, if it is usable. */
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
export const inspectCredential = oncePerRun(async (context): Promise<Inspected> => {
	const credential = {
		...(await chosenCredential<DeliveryCredential>(context, serviceCredential)),
	};
	let problem: string | null = null;
	try {
		credential.baseUrl = checkedBaseUrl(credential.baseUrl);
		clientTls(credential);
	} catch (error) {
		problem = (error as Error).message;
	}
	const { registeredProblem, hint } = certificateState(credential, new Date());
	if (hint !== null) {
		context.addExecutionHints({ message: hint, type: 'warning', location: 'outputPane' });
	}
	return { credential, problem, registeredProblem };
});

/** @throws InvalidItem if it is unusable */
export async function usableCredential(context: IExecuteFunctions): Promise<DeliveryCredential> {
	const { credential, problem } = await inspectCredential(context);
	if (problem === null) return credential;
	throw invalidItem(CREDENTIAL_LABEL, problem);
}
