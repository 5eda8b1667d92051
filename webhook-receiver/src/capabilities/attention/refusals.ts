import type { Alert } from '../../capability.ts';
import type { NoteRefusal } from '../../http/access.ts';
import type { Clock } from '../../time/clock.ts';

const LATELY_MS = 3_600_000;

/** How many of a kind are counted at most. */
const MOST = 1_000;

/** Who was refused within the last hour, and why: a wrong secret of the service, or an old token in n8n. */
export class Refusals {
	private readonly clock: Pick<Clock, 'now' | 'elapsed'>;
	private readonly byKind = new Map<
		string,
		Array<{ elapsed: number; at: number; reason: string }>
	>();

	constructor(clock: Pick<Clock, 'now' | 'elapsed'>) {
		this.clock = clock;
	}

	note: NoteRefusal = (kind, reason) => {
		const all = this.byKind.get(kind) ?? [];
		all.push({ elapsed: this.clock.elapsed(), at: this.clock.now(), reason });
		if (all.length > MOST) all.shift();
		this.byKind.set(kind, all);
	};

	alerts(): Alert[] {
		const from = this.clock.elapsed() - LATELY_MS;
		return [...this.byKind].flatMap(([kind, all]) => {
			const lately = all.filter(({ elapsed }) => elapsed > from);
			this.byKind.set(kind, lately);
			const [first, last] = [lately.at(0), lately.at(-1)];
			if (first === undefined || last === undefined) return [];
			const time = new Date(last.at).toISOString().slice(11, 16);
			const reason = `${lately.length}, last ${time} UTC, ${last.reason}`;
			return [{ kind, since: first.at, count: lately.length, reason }];
		});
	}
}
