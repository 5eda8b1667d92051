import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds each answer takes, to expose a client that sends too many requests at once. */
const ANSWER = 50;

/**
 * Service answers out of request order, and none before as many requests are in flight as wanted: a
 * client that sends fewer at once never comes to an end. The first request waits until all others
 * have been answered.
 */
export class HeldAnswers {
	/** The most requests in flight at once. */
	peak = 0;
	private readonly wanted: number;
	private underWay = 0;
	private left: number;
	private readonly begun = Promise.withResolvers<void>();
	private readonly othersDone = Promise.withResolvers<void>();

	/** @param others requests to answer before the first */
	constructor({ others, wanted }: { others: number; wanted: number }) {
		this.left = others;
		this.wanted = wanted;
	}

	async pass<T>(isFirst: boolean, answer: T): Promise<T> {
		this.peak = Math.max(this.peak, ++this.underWay);
		if (this.underWay === this.wanted) this.begun.resolve();
		await this.begun.promise;
		await sleep(ANSWER);
		if (isFirst) await this.othersDone.promise;
		else if (--this.left === 0) this.othersDone.resolve();
		this.underWay--;
		return answer;
	}
}
