// Events as the service would post them: many letters at once, each with several events, and
// repeated until they are acknowledged.
import { setTimeout as sleep } from 'node:timers/promises';

import type { Stack } from '../n8n/stack.ts';
import { signedHeaders } from '../support/signed-headers.ts';

const MOST_POSTS_A_SECOND = 30;

/** How long unacknowledged events are repeated after the load stops. */
const PATIENCE_MS = 20_000;

const KINDS = ['aes_sent', 'aes_received', 'aes_opened'];

export interface Load {
	/** While true no new events are posted; unacknowledged ones are still repeated. */
	isPaused: boolean;
	/** Posts no more new events. @returns the service's ids of all that were acknowledged */
	stop(): Promise<Set<string>>;
}

/**
 * Posts events from now on, whether or not anyone accepts them.
 *
 * @param reference included in each event, for a trigger to subscribe to only these
 * @param perSecond how many events, in 30 posts at most
 */
export function startLoad(stack: Stack, reference: string, perSecond: number): Load {
	const acknowledged = new Set<string>();
	const under = new Set<Promise<void>>();
	const posts = Math.min(perSecond, MOST_POSTS_A_SECOND);
	const perPost = Math.ceil(perSecond / posts);
	let made = 0;
	let lastCall = Infinity;

	const timer = setInterval(() => {
		if (load.isPaused) return;
		const events = Array.from({ length: perPost }, () => eventOf(reference, made++));
		const posting = insist(events).finally(() => under.delete(posting));
		under.add(posting);
	}, 1000 / posts);

	async function insist(events: Array<ReturnType<typeof eventOf>>): Promise<void> {
		while (Date.now() < lastCall) {
			if (await isTaken(stack, events)) {
				for (const { id } of events) acknowledged.add(id);
				return;
			}
			await sleep(200);
		}
	}

	const load: Load = {
		isPaused: false,
		async stop() {
			clearInterval(timer);
			lastCall = Date.now() + PATIENCE_MS;
			await Promise.all(under);
			return acknowledged;
		},
	};
	return load;
}

/** Posts that many events of separate letters, one per post. @returns as {@link Load.stop} */
export async function post(stack: Stack, reference: string, count: number): Promise<Set<string>> {
	const ids = new Set<string>();
	const run = crypto.randomUUID();
	for (let n = 0; n < count; n++) {
		const event = eventOf(reference, n, run);
		if (!(await isTaken(stack, [event]))) throw new Error(`Event ${event.id} was not taken.`);
		ids.add(event.id);
	}
	return ids;
}

/** Numbered, so that no two loads use the same letter. */
const runs = new Map<string, number>();

/** Each letter has five events in sequence, interleaved with those of nine other letters. */
function eventOf(reference: string, n: number, run = reference) {
	const number = runs.get(run) ?? runs.size + 1;
	runs.set(run, number);
	const round = Math.floor(n / 50);
	const step = Math.floor((n % 50) / 10);
	const letter = round * 10 + (n % 10);
	return {
		id: `${run}-${n}`,
		event: KINDS[Math.min(step, KINDS.length - 1)],
		messageId: String(number * 10_000_000 + letter).padStart(12, '0'),
		timestamp: 1_893_456_000 + n,
		fileReference: reference,
	};
}

/** Whether the receiver answered 200: only then may the service forget the events. */
export async function isTaken(stack: Stack, events: object[]): Promise<boolean> {
	const body = JSON.stringify(events);
	try {
		const { status } = await fetch(`${stack.receiver.url}/events`, {
			method: 'POST',
			headers: signedHeaders(body, stack.hmacSecret),
			body,
			signal: AbortSignal.timeout(10_000),
		});
		return status === 200;
	} catch {
		return false;
	}
}
