import type { WakeUp, WakeUpResult } from '../../../webhook-receiver/src/core/pull-contract';
import type { ReceiverContext } from '../receiver';

/** Stands in until executions that sleep are woken this way. */
export async function wakeAll(
	_context: ReceiverContext,
	_wakeUps: readonly WakeUp[],
): Promise<WakeUpResult[]> {
	return [];
}
