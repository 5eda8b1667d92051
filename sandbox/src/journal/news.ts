import { EventEmitter, once } from 'node:events';

/** Anything in the state changed; the service answered a request; a webhook was sent. */
type Kind = 'change' | 'request' | 'webhook';

/** Changes within this time make one piece of news. */
const BURST_MS = 50;

/** Tells pages and whoever waits that there is something to look at. */
export class News {
	readonly #told = new EventEmitter().setMaxListeners(0);
	#burst: NodeJS.Timeout | undefined;

	tell(kind: Kind): void {
		this.#told.emit('news', kind);
	}

	/** Once per burst. */
	tellChange(): void {
		if (this.#burst) return;
		this.#burst = setTimeout(() => {
			this.#burst = undefined;
			this.tell('change');
		}, BURST_MS).unref();
	}

	/** News from now on. A slow listener gets the same news once, not twice. */
	async *follow(signal: AbortSignal): AsyncGenerator<Kind> {
		const pending = new Set<Kind>();
		const note = (kind: Kind) => void pending.add(kind);
		this.#told.on('news', note);
		try {
			while (!signal.aborted) {
				for (const kind of pending) {
					pending.delete(kind);
					yield kind;
				}
				// While one was handed out, another may have come.
				if (pending.size === 0) await this.#next(signal);
			}
		} finally {
			this.#told.off('news', note);
		}
	}

	/** Resolves once `isEnough`, or when the time is over or the signal aborts. */
	async until(isEnough: () => boolean, seconds: number, signal: AbortSignal): Promise<void> {
		const end = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
		while (!end.aborted && !isEnough()) await this.#next(end);
	}

	async #next(signal: AbortSignal): Promise<void> {
		await once(this.#told, 'news', { signal }).catch(() => undefined);
	}
}
