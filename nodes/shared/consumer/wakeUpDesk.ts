import type { WakeUp, WakeUpResult } from '../../../webhook-receiver/src/core/pull-contract';
import type { ReceiverContext } from '../receiver';
import { wakeAll } from './wakeUps';

/** Wake-ups that came with pulls, and what became of them: said until an answer confirms it. */
export class WakeUpDesk {
	private readonly underWay = new Set<string>();
	private readonly results = new Map<string, WakeUpResult>();

	get hasNews(): boolean {
		return this.results.size > 0;
	}

	/** Wakes those that are not being woken already. */
	async take(context: ReceiverContext, wakeUps: readonly WakeUp[]): Promise<void> {
		const fresh = wakeUps.filter(({ resume }) => !this.underWay.has(resume.waitId));
		if (fresh.length === 0) return;
		for (const { resume } of fresh) this.underWay.add(resume.waitId);
		try {
			for (const result of await wakeAll(context, fresh)) this.results.set(result.waitId, result);
		} finally {
			for (const { resume } of fresh) this.underWay.delete(resume.waitId);
		}
	}

	report(): WakeUpResult[] {
		return [...this.results.values()];
	}

	/** The receiver has answered a pull that said this. */
	confirm(report: readonly WakeUpResult[]): void {
		for (const result of report) {
			if (this.results.get(result.waitId) === result) this.results.delete(result.waitId);
		}
	}
}
