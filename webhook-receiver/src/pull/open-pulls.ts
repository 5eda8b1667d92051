import type { OpenPull } from './open-pull.ts';

/** A process that has not pulled again this long after its last answer has stopped. */
const EXPECTED_BACK_MS = 30_000;

/** The held pulls, by consumer, and the n8n processes behind them. */
export class OpenPulls {
	private readonly byKey = new Map<string, Set<OpenPull>>();
	/**
	 * When each process was last answered, by holder id and by the time of this process; without
	 * those not expected back.
	 */
	private readonly answered = new Map<string, { instance: string; at: number }>();

	get count(): number {
		return [...this.byKey.values()].reduce((sum, { size }) => sum + size, 0);
	}

	add(pull: OpenPull): void {
		const pulls = this.byKey.get(pull.key) ?? new Set();
		this.byKey.set(pull.key, pulls.add(pull));
	}

	/** @param answeredAt null when the puller is gone and will not pull again */
	remove(pull: OpenPull, answeredAt: number | null): void {
		const { key, instance, request } = pull;
		const pulls = this.byKey.get(key);
		pulls?.delete(pull);
		if (pulls?.size === 0) this.byKey.delete(key);
		if (answeredAt === null) this.forget(request.holder);
		else this.answered.set(request.holder, { instance, at: answeredAt });
	}

	/** The holder released a consumer and is not expected to pull again, unless for another one. */
	forget(holder: string): void {
		this.answered.delete(holder);
	}

	/** Pulls of a consumer; with `holder`, only those of that process. */
	of(key: string, holder?: string): OpenPull[] {
		const pulls = [...(this.byKey.get(key) ?? [])];
		return holder === undefined ? pulls : pulls.filter(({ request }) => request.holder === holder);
	}

	*all(): Iterable<OpenPull> {
		for (const pulls of this.byKey.values()) yield* pulls;
	}

	/** How many processes of an n8n are pulling, or were a moment ago. */
	processesOf(instance: string, elapsed: number): number {
		const holders = new Set<string>();
		for (const pull of this.all()) if (pull.instance === instance) holders.add(pull.request.holder);
		for (const [holder, process] of this.answered) {
			if (process.at < elapsed - EXPECTED_BACK_MS) this.answered.delete(holder);
			else if (process.instance === instance) holders.add(holder);
		}
		return holders.size;
	}
}
