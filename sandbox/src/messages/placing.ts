import type { Account, Contact } from '../world/model.ts';
import type { World } from '../world/world.ts';
import type { Trigger } from './lifecycle.ts';
import { newMessage, type Letter } from './message-record.ts';

/** A letter added without being sent through the service. */
export interface PlacedLetter extends Letter {
	/** The local part of its address decides what happens next, as for any recipient. */
	contact: Contact;
	/** Its history so far, in order. */
	happens: Array<Trigger | 'cancel'>;
}

/** Adds a letter to an account, with its history so far. */
export function placeLetter(world: World, { id: accountId }: Account, letter: PlacedLetter) {
	const origin = { accountId, createdAt: world.clock.now(), resendOf: null };
	const message = newMessage(world, letter, letter.contact, origin);
	world.deliveries.accept(message);
	const apply = (what: Trigger | 'cancel') =>
		what === 'cancel' ? world.deliveries.cancel(message) : world.deliveries.apply(message, what);
	return { message, impossible: letter.happens.find((what) => !apply(what)) ?? null };
}
