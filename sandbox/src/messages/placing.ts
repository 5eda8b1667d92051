import type { Account, Message, MessageType } from '../world/model.ts';
import type { World } from '../world/world.ts';
import type { Trigger } from './lifecycle.ts';
import { newMessage } from './message-record.ts';

/** A letter added without being sent through the service. */
export interface PlacedLetter {
	type: MessageType;
	/** Its local part decides what happens next, as for any recipient. */
	email: string;
	firstname: string;
	lastname: string;
	body: string;
	fileReference: string | null;
	/** Holds it until then, epoch milliseconds. */
	scheduledAt?: number | null;
	/** Its history so far, in order. */
	happens: Array<Trigger | 'cancel'>;
}

/** Adds a letter to an account, with its history so far. */
export function placeLetter(world: World, { id: accountId }: Account, letter: PlacedLetter) {
	const { type, email, firstname, lastname, body, fileReference, scheduledAt, happens } = letter;
	const nobodyElse = { company: null, identifier: null, identifierType: null };
	const message: Message = newMessage(
		world,
		{
			...{ type, body, fileReference, customerReference: null, sender: null },
			...{ includeSenderLogo: false, attachments: [], scheduledAt: scheduledAt ?? null },
		},
		{ email, firstname, lastname, ...nobodyElse },
		{ accountId, createdAt: world.clock.now(), resendOf: null },
	);
	world.deliveries.accept(message);
	const apply = (what: Trigger | 'cancel') =>
		what === 'cancel' ? cancel(world, message) : world.deliveries.apply(message, what);
	return { message, impossible: happens.find((what) => !apply(what)) ?? null };
}

function cancel({ deliveries }: World, message: Message): boolean {
	if (message.status !== 'SCHEDULED') return false;
	deliveries.cancel(message);
	return true;
}
