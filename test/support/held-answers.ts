import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds each answer takes, so that a client that asks for too much at once is seen to. */
const ANSWER = 50;

/**
 * Answers of a service that come in another order than the requests: the first waits until all others
 * have been answered, which only a client with several requests under way lives to see.
 */
export class HeldAnswers {
	/** The most that were under way at once. */
	peak = 0;
	private underWay = 0;
	private left: number;
	private readonly othersDone = Promise.withResolvers<void>();

	/** @param others requests that are to be answered before the first */
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
