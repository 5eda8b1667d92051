import type { Logger } from 'pino';
import type { Leader } from './sql/engine.ts';
import type { Clock } from './time/clock.ts';
import { DueLoop } from './time/due-loop.ts';
import type { DueWork } from './time/due-loop.ts';

interface Loop {
	name: string;
	lead(): DueWork;
}

/** The loops of the capabilities, while this receiver has the lead. */
export class Loops implements Leader {
	private readonly loops: readonly Loop[];
	private readonly clock: Clock;
	private readonly logger: Logger;
	private running: DueLoop[] = [];
	private ending: Promise<unknown> = Promise.resolve();

	constructor(loops: readonly Loop[], { clock, logger }: { clock: Clock; logger: Logger }) {
		this.loops = loops;
		this.clock = clock;
		this.logger = logger;
	}

	begin(): void {
		const { clock, logger } = this;
		this.running = this.loops.map(({ name, lead }) => {
			const due = lead();
			const onError = (error: unknown) => logger.error({ err: error, loop: name }, 'a loop failed');
			const before = this.ending;
			// Not beside itself, if the lead was lost for a moment only.
			return new DueLoop({ clock, work: () => before.then(due), onError });
		});
		this.wake();
	}

	end(): void {
		this.ending = Promise.all([this.ending, ...this.running.map((loop) => loop.stop())]);
		this.running = [];
	}

	wake(): void {
		for (const loop of this.running) loop.wake();
	}

	/** Resolves when work in progress has ended. */
	async stop(): Promise<void> {
		this.end();
		await this.ending;
	}
}
