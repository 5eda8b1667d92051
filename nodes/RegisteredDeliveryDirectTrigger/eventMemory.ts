/** As long as the receiver keeps events and event ids by default. */
export const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const FORGOTTEN = 0;

/** Remembers what has come, up to a number of keys and each for a time. */
export class EventMemory {
	/** Until when a key counts, in milliseconds since 1970; the oldest key first. */
	private readonly entries = new Map<string, number>();
	private readonly limit: number;

	constructor(limit: number) {
		this.limit = limit;
	}

	/** Until when the key counts, or null when it is not known, or no longer. */
	until(key: string, now: number): number | null {
		const until = this.entries.get(key);
		return until !== undefined && until > now ? until : null;
	}

	has(key: string, now: number): boolean {
		return this.until(key, now) !== null;
	}

	remember(key: string, until: number): void {
		this.entries.delete(key);
		this.entries.set(key, until);
		for (const oldest of this.entries.keys()) {
			if (this.entries.size <= this.limit) break;
			this.entries.delete(oldest);
		}
	}

	/** Makes the keys unknown, and keeps {@link addText} from bringing them back. */
	forget(keys: readonly string[]): void {
		for (const key of keys) this.entries.set(key, FORGOTTEN);
	}

	/** The last `count` keys as one text: n8n's static data puts a proxy round every list in it. */
	toText(count: number): string {
		const last = [...this.entries].filter(([, until]) => until !== FORGOTTEN).slice(-count);
		return last.map(([key, until]) => `${key} ${until}`).join('\n');
	}

	/** Takes over what is not known yet from {@link toText}. */
	addText(text: string): void {
		for (const line of text.split('\n')) {
			const [key, until] = line.split(' ');
			if (key && Number(until) && !this.entries.has(key)) this.remember(key, Number(until));
		}
	}
}
