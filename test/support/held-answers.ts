import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds each answer takes, to expose a client that sends too many requests at once. */
const ANSWER = 50;

/**
 * Service answers out of request order: the first waits until all others have been answered, which
 * only happens if the client has several requests in flight.
 */
export class HeldAnswers {
	/** The most requests in flight at once. */
	peak = 0;
	private underWay = 0;
	private left: number;
	private readonly othersDone = Promise.withResolvers<void>();

	/** @param others requests to answer before the first */
	constructor(others: number) {
		this.left = others;
	}

	async pass<T>(isFirst: boolean, answer: T): Promise<T> {
		this.peak = Math.max(this.peak, ++this.underWay);
		await sleep(ANSWER);
		if (isFirst) await this.othersDone.promise;
		else if (--this.left === 0) this.othersDone.resolve();
		this.underWay--;
		return answer;
	}
}
