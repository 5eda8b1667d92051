/** Runs tasks one after the other, whatever becomes of each. */
export class Queue {
	private last: Promise<unknown> = Promise.resolve();

	async run<T>(task: () => Promise<T>): Promise<T> {
		const turn = this.last.then(task);
		this.last = turn.catch(() => undefined);
		return await turn;
	}
}
