import { WakeUps } from '../../../webhook-receiver/src/wait/wake-ups.ts';
import type { WakeUpsParts } from '../../../webhook-receiver/src/wait/wake-ups.ts';

const MINUTE = 60_000;

/** Wake-ups of an n8n with one that is due again in five minutes, and what is planned for them. */
function wakeUps() {
	const planned: number[] = [];
	const clock = {
		now: () => 0,
		elapsed: () => 0,
		after: (milliseconds: number) => {
			planned.push(milliseconds);
			return () => planned.splice(0);
		},
	};
	const waits = { waiting: async () => ({ any: true, nextAt: 5 * MINUTE }) };
	const parts = { clock, waits, metrics: {}, onDue: () => undefined } as unknown as WakeUpsParts;
	return { planned, wakeUps: new WakeUps(parts) };
}

it('plans nothing more once it stops, or the process would live until then', async () => {
	const { planned, wakeUps: one } = wakeUps();
	one.stop();
	const puller = { instance: 'n8n', holder: 'one' };
	expect(await one.look(puller, 1)).toEqual({ wakeUps: [], waiting: true });
	expect(planned).toEqual([]);
});
