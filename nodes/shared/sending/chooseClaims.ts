import type { IExecuteFunctions } from 'n8n-workflow';

import { hasReceiver } from '../transport/receiver';
import type { ClaimKey, Claims } from './claims';
import { LocalClaims } from './localClaims';
import { ReceiverClaims } from './receiverClaims';

/**
 * The ledger's own keys are kept by n8n, so that sending needs nobody else. With the receiver's
 * credential, the receiver keeps the user's: they hold across workers, n8n processes and workflows.
 * Without it n8n keeps them, too, which is safe only within one process; a hint says so.
 */
export async function chooseClaims(
	context: IExecuteFunctions,
	keys: readonly ClaimKey[],
): Promise<Claims> {
	const own = new LocalClaims(context, 'workflow');
	if (keys.every(({ isOwn }) => isOwn === true)) return own;
	if (await hasReceiver(context)) return byKind(own, new ReceiverClaims(context));
	context.addExecutionHints({
		message:
			"'Send Once Key' holds within this node and one n8n process. With several workers or main processes, or to share keys between workflows, choose a webhook receiver in the credential.",
		type: 'info',
		location: 'outputPane',
	});
	return byKind(own, new LocalClaims(context, 'node'));
}

/** Each key where it is kept. */
function byKind(own: Claims, users: Claims): Claims {
	const split = (keys: readonly ClaimKey[]) => ({
		ownKeys: keys.filter(({ isOwn }) => isOwn === true),
		usersKeys: keys.filter(({ isOwn }) => isOwn !== true),
	});
	return {
		async claim(keys, takesUnknown) {
			const { ownKeys, usersKeys } = split(keys);
			const claims = await users.claim(usersKeys, takesUnknown);
			return new Map([...claims, ...(await own.claim(ownKeys, takesUnknown))]);
		},
		async known(keys) {
			const { ownKeys, usersKeys } = split(keys);
			return new Set([...(await own.known(ownKeys)), ...(await users.known(usersKeys))]);
		},
		async keep(fates) {
			await Promise.all([own.keep(fates), users.keep(fates)]);
		},
		async release(keys) {
			await Promise.all([own.release(keys), users.release(keys)]);
		},
		async end() {
			await Promise.all([own.end(), users.end()]);
		},
	};
}
