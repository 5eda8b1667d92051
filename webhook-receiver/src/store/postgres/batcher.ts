interface Waiting<In, Out> {
	item: In;
	resolve(result: Out): void;
	reject(error: unknown): void;
}

/**
 * Does together what arrives while the one before is under way: one transaction for many requests,
 * without a timer. When a batch fails each of its items is tried alone, so that one that can't be
 * stored takes nobody with it.
 */
export class Batcher<In, Out> {
	private readonly run: (items: In[]) => Promise<Out[]>;
	private readonly most: number;
	private waiting: Array<Waiting<In, Out>> = [];
	private working: Promise<void> | null = null;

	constructor(run: (items: In[]) => Promise<Out[]>, most: number) {
		this.run = run;
		this.most = most;
	}

	add(item: In): Promise<Out> {
		return new Promise((resolve, reject) => {
			this.waiting.push({ item, resolve, reject });
			this.begin();
		});
	}

	/** Resolves when nothing is under way. */
	async idle(): Promise<void> {
		while (this.working !== null) await this.working;
	}

	private begin(): void {
		this.working ??= this.work().finally(() => {
			this.working = null;
			// What was added since the last look found this batch at work, and began none.
			if (this.waiting.length > 0) this.begin();
		});
	}

	private async work(): Promise<void> {
		// What arrives in this turn of the event loop comes along.
		await new Promise((resolve) => setImmediate(resolve));
		while (this.waiting.length > 0) await this.attempt(this.waiting.splice(0, this.most));
	}

	private async attempt(batch: Array<Waiting<In, Out>>): Promise<void> {
		try {
			const results = await this.run(batch.map(({ item }) => item));
			for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Out);
		} catch (error) {
			if (batch.length === 1 || isOutage(error)) for (const { reject } of batch) reject(error);
			else for (const one of batch) await this.attempt([one]);
		}
	}
}

/** Without a connection there is no use in trying each item by itself. */
function isOutage(error: unknown): boolean {
	const { cause } = error as { cause?: { code?: string } };
	const code = cause?.code ?? '';
	// SQLSTATE has five characters; those of class 08, 53 and 57 speak of the server, not of the data.
	return code.length !== 5 || /^(08|53|57)/.test(code);
}
