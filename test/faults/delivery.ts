import { ManualClock, consume, start, until } from '../contract/receiver/harness.ts';
import { isNightly } from '../support/ring.ts';
import { p99, quietestRatio, record } from './figures.ts';

const MINUTE = 60_000;

export function deliveryFaults() {
	it('[STAT-05][R] n8n away for an hour: all handed out once, in order', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		const before = await consume(receiver);
		await before.stop();
		for (let minute = 0; minute < 60; minute++) {
			const state = ['sent', 'received', 'undelivered', 'received', 'opened'][minute % 5];
			const first = Math.floor(minute / 5) * 10;
			await receiver.emit(
				Array.from({ length: 10 }, (_, n) => ({ event: `aes_${state}`, messageId: first + n + 1 })),
			);
			clock.advance(MINUTE);
		}
		const n8n = await consume(receiver, { atOnce: 100 });
		await until(async () => (await receiver.consumers())[0].behind === 0, 'it has caught up');
		await until(() => n8n.events().length >= 600, 'all are handed out');
		await receiver.atRest();
		const arrived = n8n.events();
		expect(arrived).toHaveLength(600);
		expect(new Set(arrived.map(({ id }) => id)).size).toBe(600);
		const byMessage = Map.groupBy(arrived, ({ messageId }) => messageId);
		for (const own of byMessage.values()) {
			const order = own.map(({ sequence }) => sequence);
			expect(order).toEqual([...order].sort((left, right) => left - right));
		}
		record('n8n away for an hour', '600 of 600 handed out once, in order');
	});

	it('one of ten that never settles what it has: the others get everything', async () => {
		expect(await latencies(true)).toHaveLength(100 * 9);
	});

	// Compares times, which takes a machine with little else to do.
	if (isNightly) {
		it('one of ten that never settles what it has: the others do not feel it', async () => {
			const ratio = await quietestRatio(
				1.2,
				async () => p99(await latencies(false)),
				async () => p99(await latencies(true)),
			);
			expect(ratio).toBeLessThanOrEqual(1.2);
			record(
				'one stuck consumer among ten',
				`p99 of the others × ${ratio.toFixed(2)} (at most 1.2)`,
			);
		});
	}
}

/** How long events take to nine healthy consumers, the tenth being healthy or stuck. */
async function latencies(isStuck: boolean): Promise<number[]> {
	const receiver = await start();
	const sent = new Map<string, number>();
	const taken: number[] = [];
	const healthy = {
		settle: ({ events }: { events: ReadonlyArray<{ raw: unknown }> }) => {
			for (const { raw } of events) {
				taken.push(performance.now() - (sent.get((raw as { id: string }).id) ?? NaN));
			}
			return 'ack' as const;
		},
	};
	for (let n = 0; n < 9; n++) await consume(receiver, { key: `n8n~flow-${n}`, ...healthy });
	await consume(receiver, { key: 'n8n~tenth', settle: () => (isStuck ? 'hold' : 'ack') });
	const emit = async (id: string) => {
		sent.set(id, performance.now());
		await receiver.emit({ id, event: 'aes_sent' });
	};
	for (let n = 0; n < 40; n++) await emit(`warm-${n}`);
	await until(() => taken.length === 40 * 9, 'all are warm');
	taken.length = 0;
	for (let n = 0; n < 100; n++) await emit(`e-${n}`);
	await until(() => taken.length === 100 * 9, 'all arrive');
	return taken;
}
