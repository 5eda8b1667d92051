import { isTrackedMail, type MessageType } from '../state/model.ts';
import type { Trigger } from './lifecycle.ts';

/** Local parts of recipient addresses that decide what happens to a message. */
const TEST_ADDRESSES = [
	'open',
	'bounce',
	'never',
	'accept',
	'refuse',
	'bounce-then-receive',
	'fail',
	'unpaid',
] as const;
type TestAddress = (typeof TEST_ADDRESSES)[number] | 'default';

/** `open+invoice-7@any.example` steers like `open@any.example`, so that addresses can differ. */
export function testAddressOf(email: string): TestAddress {
	const local = (email.split('@')[0] ?? '').split('+')[0]?.toLowerCase();
	return TEST_ADDRESSES.find((name) => name === local) ?? 'default';
}

/**
 * What the recipient's side does on its own after the send, in order. An address with no meaning
 * for the type behaves like any other: tracked mail and simple letters are received, an LRE waits
 * for a decision. `fail` never gets this far; `unpaid` only affects resends.
 */
export function plannedSteps(email: string, type: MessageType): Trigger[] {
	const steering = testAddressOf(email);
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
