import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until there is a result. @throws Error when the patience, in seconds, runs out. */
export async function until<T>(
	what: string | (() => string),
	look: () => Promise<T | null | undefined | false>,
	patience = 60,
): Promise<T> {
	const deadline = Date.now() + patience * 1000;
	for (;;) {
		const seen = await look();
		if (seen) return seen;
		if (Date.now() > deadline) {
			const fact = typeof what === 'string' ? what : what();
			throw new Error(`Waited ${patience} s in vain for: ${fact}.`);
		}
		await sleep(100);
	}
}
