import { whyNoQueue } from '../real-n8n/queue.ts';
import { itOr } from '../support/skipped.ts';
import { faultsOf } from './faults.ts';
import { storm } from './run.ts';
import { tell } from './story.ts';
import type { Kind } from './world.ts';

const SEED = Number(process.env.STORM_SEED ?? 7);
const MINUTE = 60_000;
/** More than a minute has time for. */
const CHAPTERS = 60;
const LETTERS = 40;

/** A minute of the storm with a fixed seed; `npm run storm` tells longer stories. */
export function testMinute(kind: Kind): void {
	jest.setTimeout(30 * MINUTE);

	itOr(kind === 'queue' && whyNoQueue)(`${kind}: each promise is kept`, async () => {
		const chapters = tell(SEED, CHAPTERS, LETTERS, faultsOf(kind));
		const steps: string[] = [];
		const onStep = (step: string) => void steps.push(step);
		const result = await storm({ kind, seed: SEED, chapters, limit: MINUTE, onStep });
		if (result.kept !== null)
			console.log([...steps, `Ledgers and logs: ${result.kept}`].join('\n'));
		expect(result.findings).toEqual({});
	});
}
