/** Tasks that run at the same time, a limited number of them. Once one fails, no more start. */
export class Tasks {
	private readonly underWay = new Map<symbol, Promise<void>>();
	private readonly failures: unknown[] = [];

	/**
	 * Starts a task, and waits until there is room for another.
	 *
	 * @param limit how many may be under way
	 * @throws what the first task failed with
	 */
	async start(limit: number, task: () => Promise<void>): Promise<void> {
		if (this.failures.length > 0) throw this.failures[0];
		const own = Symbol();
		this.underWay.set(own, this.run(own, task));
		while (this.underWay.size >= limit) await Promise.race(this.underWay.values());
		if (this.failures.length > 0) throw this.failures[0];
	}

	/**
	 * Waits for those under way.
	 *
	 * @throws what the first task failed with
	 */
	async end(): Promise<void> {
		await Promise.all(this.underWay.values());
		if (this.failures.length > 0) throw this.failures[0];
	}

	private async run(own: symbol, task: () => Promise<void>): Promise<void> {
		try {
			await task();
		} catch (error) {
			this.failures.push(error);
		} finally {
			this.underWay.delete(own);
		}
	}
}

/** Tasks that run one after the other, whatever becomes of each. */
export class Queue {
	private last: Promise<unknown> = Promise.resolve();

	async run<T>(task: () => Promise<T>): Promise<T> {
		const turn = this.last.then(task);
		this.last = turn.catch(() => undefined);
		return await turn;
	}
}
