import type { IExecuteFunctions } from 'n8n-workflow';

import { hasReceiver } from '../transport/receiver';
import type { Claims } from './claims';
import { LocalClaims } from './localClaims';
import { ReceiverClaims } from './receiverClaims';

/**
 * With the receiver's credential, the receiver keeps all claims: they hold across workers, n8n
 * processes and workflows. Without it n8n keeps them, which is safe only within one process; a hint
 * says so.
 */
export async function chooseClaims(context: IExecuteFunctions): Promise<Claims> {
	if (hasReceiver(context)) return await ReceiverClaims.of(context);
	context.addExecutionHints({
		message:
			'"Send Once Key" holds within this node and one n8n process. With several workers or main processes, or to share keys between workflows, choose a Registered Delivery Receiver credential in this node.',
		type: 'info',
		location: 'outputPane',
	});
	return new LocalClaims(context);
}
