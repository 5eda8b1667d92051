import { isTrackedMail, type MessageType } from '../world/model.ts';
import type { Trigger } from './lifecycle.ts';

/** Local parts of recipient addresses that decide what happens to a message. */
export const STEERING = [
	'open',
	'bounce',
	'never',
	'accept',
	'refuse',
	'bounce-then-receive',
	'fail',
	'unpaid',
] as const;
export type Steering = (typeof STEERING)[number] | 'default';

/** `open+invoice-7@any.example` steers like `open@any.example`, so that addresses can differ. */
export function steeringOf(email: string): Steering {
	const local = (email.split('@')[0] ?? '').split('+')[0]?.toLowerCase();
	return STEERING.find((name) => name === local) ?? 'default';
}

/**
 * What the recipient's side does on its own after the send, in order. An address with no meaning
 * for the type behaves like any other: tracked mail and simple letters are received, an LRE waits
 * for a decision. `fail` never gets this far; `unpaid` only affects resends.
 */
export function plannedSteps(email: string, type: MessageType): Trigger[] {
	const steering = steeringOf(email);
	if (steering === 'bounce') return ['bounce'];
	if (steering === 'never') return ['deliver'];
	if (type === 'LRE') {
		const decision = steering === 'accept' || steering === 'refuse' ? [steering] : [];
		const bounced: Trigger[] = steering === 'bounce-then-receive' ? ['bounce'] : [];
		return [...bounced, 'deliver', ...decision];
	}
	if (isTrackedMail(type)) {
		if (steering === 'bounce-then-receive') return ['bounce', 'deliver'];
		return steering === 'open' ? ['deliver', 'open'] : ['deliver'];
	}
	if (steering === 'bounce-then-receive') return ['bounce', 'deliver', 'open'];
	return steering === 'refuse' ? ['deliver'] : ['deliver', 'open'];
}
