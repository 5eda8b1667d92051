import { isTrackedMail, type MessageType } from '../state/model.ts';
import type { Trigger } from './lifecycle.ts';

/** What happens after the send, by the type of the letter. */
type Steps = Record<'tracked' | 'simple' | 'registered', Trigger[]>;

/** The README's table: what the recipient's side does on its own, in order, by the part before the @. */
const STEPS = Object.entries<Steps>({
	open: { tracked: ['deliver', 'open'], simple: ['deliver', 'open'], registered: ['deliver'] },
	never: { tracked: ['deliver'], simple: ['deliver'], registered: ['deliver'] },
	bounce: { tracked: ['bounce'], simple: ['bounce'], registered: ['bounce'] },
	'bounce-then-receive': {
		tracked: ['bounce', 'deliver'],
		simple: ['bounce', 'deliver', 'open'],
		registered: ['bounce', 'deliver'],
	},
	accept: { tracked: ['deliver'], simple: ['deliver', 'open'], registered: ['deliver', 'accept'] },
	refuse: { tracked: ['deliver'], simple: ['deliver'], registered: ['deliver', 'refuse'] },
});

const ANY_OTHER: Steps = {
	tracked: ['deliver'],
	simple: ['deliver', 'open'],
	registered: ['deliver'],
};

/**
 * The part before the @; `open+invoice-7` is `open`, so that addresses can differ. `fail` is never sent,
 * and `unpaid` is refused when it is resent.
 */
export const steeringOf = (email: string): string => /^[^@+]*/.exec(email.toLowerCase())![0];

export function plannedSteps(email: string, type: MessageType): Trigger[] {
	const steering = steeringOf(email);
	const [, steps] = STEPS.find(([name]) => name === steering) ?? ['', ANY_OTHER];
	if (isTrackedMail(type)) return steps.tracked;
	return type === 'LRE' ? steps.registered : steps.simple;
}
