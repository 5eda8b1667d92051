/** Limits how many tasks run at once; the others wait, first come, first served. */
export class Gate {
	private free: number;
	private readonly queue: Array<() => void> = [];

	constructor(atOnce: number) {
		this.free = atOnce;
	}

	async run<T>(task: () => Promise<T>): Promise<T> {
		if (this.free > 0) this.free--;
		else await new Promise<void>((resolve) => this.queue.push(resolve));
		try {
			return await task();
		} finally {
			const next = this.queue.shift();
			if (next === undefined) this.free++;
			else next();
		}
	}
}
