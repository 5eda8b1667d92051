import { VirtualClock } from '../../../sandbox/src/state/clock.ts';
import { Scheduler } from '../../../sandbox/src/state/scheduler.ts';

const DAY = 86_400_000;

function stage() {
	const clock = new VirtualClock(() => 1000);
	const errors: unknown[] = [];
	const scheduler = new Scheduler(clock, (error) => void errors.push(error));
	const done: string[] = [];
	const note = (name: string) => () => void done.push(`${name} at ${clock.now()}`);
	return { clock, errors, scheduler, done, note };
}

it('runs steps in order, each at its own moment, those made on the way too', () => {
	const { clock, scheduler, done, note } = stage();
	scheduler.after(20, note('second'));
	scheduler.after(10, () => {
		note('first')();
		scheduler.after(5, note('between'));
	});
	scheduler.after(20, note('third'));
	scheduler.after(90 * DAY + 1, note('later'));
	scheduler.advance(90 * DAY);
	expect(done).toEqual(['first at 1010', 'between at 1015', 'second at 1020', 'third at 1020']);
	expect(clock.now()).toBe(1000 + 90 * DAY);
	scheduler.clear();
});

it('goes on after a step that throws, and reports it', () => {
	const { scheduler, done, note, errors } = stage();
	scheduler.after(1, () => {
		throw new Error('broken step');
	});
	scheduler.after(2, note('next'));
	scheduler.advance(5);
	expect(done).toEqual(['next at 1002']);
	expect(errors).toEqual([new Error('broken step')]);
});

it('has no timer once it is closed, whatever is planned then', () => {
	jest.useFakeTimers();
	const { scheduler, note } = stage();
	scheduler.after(1, note('before'));
	expect(jest.getTimerCount()).toBe(1);
	scheduler.close();
	scheduler.after(1, note('after'));
	expect(jest.getTimerCount()).toBe(0);
	jest.useRealTimers();
});

describe('a clock whose real time goes by', () => {
	function live() {
		let real = 1000;
		const clock = new VirtualClock(() => real);
		const scheduler = new Scheduler(clock, (error) => {
			throw error;
		});
		return { clock, scheduler, pass: (ms: number) => void (real += ms) };
	}

	it('loses no real time while steps run', () => {
		const { clock, scheduler, pass } = live();
		scheduler.after(10, () => pass(300));
		scheduler.advance(20);
		expect(clock.now()).toBe(1300);
	});

	it('a step that is due at once runs while the clock stands', async () => {
		const { clock, scheduler } = live();
		scheduler.setTime(clock.now(), true);
		await new Promise<void>((resolve) => scheduler.after(0, resolve));
		expect(clock.now()).toBe(1000);
	});
});
