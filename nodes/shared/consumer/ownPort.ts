import type { IExecuteFunctions } from 'n8n-workflow';

import type { ReceiverContext } from '../receiver';

let port: number | null = null;

/** On which port this n8n listens; null where that is not known. */
export function ownPort(): number | null {
	return port;
}

/**
 * Learns it from the environment, where n8n lets nodes read that (N8N_BLOCK_ENV_ACCESS_IN_NODE is
 * false); nothing else that a node sees tells it. For `execute()` and `trigger()` only: n8n 2.41
 * evaluates no expressions once they have returned.
 */
export function learnOwnPort(context: ReceiverContext): void {
	// A trigger has it as well, though its type does not say so.
	const { evaluateExpression } = context as Partial<IExecuteFunctions>;
	try {
		const value = Number(evaluateExpression?.call(context, '{{ $env.N8N_PORT }}', 0));
		if (Number.isInteger(value) && value > 0 && value < 65_536) port = value;
	} catch {
		// It is not to be read, which is n8n's default.
	}
}
