import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createSender } from '../../webhook-receiver/src/post.ts';
import { createTargetGuard } from '../../webhook-receiver/src/target-guard.ts';
import { ManualClock, later, start, target, until } from '../contract/receiver/harness.ts';
import { p99, quietestRatio, record } from './figures.ts';

const MINUTE = 60_000;

export function deliveryFaults() {
	it('forged targets: every literal form and DNS answer', async () => {
		let connections = 0;
		const server = createServer((socket) => {
			connections++;
			socket.destroy();
		});
		await new Promise<void>((resolve) => server.listen(0, '::', resolve));
		later(() => void server.close());
		const { port } = server.address() as AddressInfo;
		const literals = [
			...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0', '0.0.0.0'],
			...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]'],
			...['[::127.0.0.1]', '[2002:7f00:1::]', '169.254.169.254', '[fe80::1]', '[fd00:ec2::254]'],
			...['10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '127.0.0.1.', 'user@127.0.0.1'],
		];
		const receiver = await start({ env: { ALLOWED_TARGETS: '*' } });
		for (const host of literals) {
			const answer = await receiver.subscribe('flow', `http://${host}:${port}/`);
			expect([host, answer.status]).toEqual([host, 422]);
		}
		const answers = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1'];
		for (const address of answers) {
			const guard = createTargetGuard(['*'], (_, callback) =>
				// One good answer beside the bad one must not let it through.
				callback(null, [
					{ address: '93.184.216.34', family: 4 },
					{ address, family: address.includes(':') ? 6 : 4 },
				]),
			);
			const sender = createSender(guard, 1_000);
			const answer = await sender.post(`http://rebound.example:${port}/`, {}, '{}');
			expect(answer).toMatchObject({ status: null, error: expect.stringMatching(/refused/) });
			await sender.close();
		}
		expect(connections).toBe(0);
		const tried = literals.length + answers.length;
		record('forged targets, literal and by DNS', `${connections} connections of ${tried} tried`);
	});

	it('[STAT-05][R] n8n down for an hour: all delivered once, in order', async () => {
		const clock = new ManualClock();
		const receiver = await start({ dependencies: { clock } });
		let isUp = false;
		const arrived: Array<{ messageId: string | null; id: string; sequence: number }> = [];
		const n8n = await target(({ events }) => {
			if (!isUp) return 404;
			arrived.push(...events);
			return 200;
		});
		await receiver.subscribe('flow', n8n.url);
		const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
		for (let minute = 0; minute < 60; minute++) {
			const state = ['sent', 'received', 'undelivered', 'received', 'opened'][minute % 5];
			const first = Math.floor(minute / 5) * 10;
			await receiver.emit(
				Array.from({ length: 10 }, (_, n) => ({ event: `aes_${state}`, messageId: first + n + 1 })),
			);
			clock.advance(MINUTE);
			await settled();
		}
		isUp = true;
		await until(async () => {
			clock.advance(MINUTE);
			await settled();
			return (await receiver.deliveries('pending')).length === 0;
		}, 'all is delivered');
		expect(arrived).toHaveLength(600);
		expect(new Set(arrived.map(({ id }) => id)).size).toBe(600);
		const byMessage = Map.groupBy(arrived, ({ messageId }) => messageId);
		for (const own of byMessage.values()) {
			const order = own.map(({ sequence }) => sequence);
			expect(order).toEqual([...order].sort((left, right) => left - right));
		}
		const wasted = n8n.received.length - arrived.length;
		record('n8n down for an hour', `600 of 600 once, in order; ${wasted} attempts in vain`);
	});

	it('one dead target among ten: the others do not feel it', async () => {
		const ratio = await quietestRatio(
			1.2,
			async () => p99(await latencies(false)),
			async () => p99(await latencies(true)),
		);
		expect(ratio).toBeLessThanOrEqual(1.2);
		record('one dead target among ten', `p99 of the others × ${ratio.toFixed(2)} (at most 1.2)`);
	});
}

/** How long events take to nine healthy targets, the tenth being healthy or dead. */
async function latencies(withDead: boolean): Promise<number[]> {
	const receiver = await start({ env: { DELIVERY_TIMEOUT: '60s' } });
	const sent = new Map<string, number>();
	const taken: number[] = [];
	const healthy = await target(({ events }) => {
		for (const { raw } of events) {
			taken.push(performance.now() - (sent.get((raw as { id: string }).id) ?? NaN));
		}
		return 200;
	});
	const dead = await target(() => 'hang');
	for (let n = 0; n < 9; n++) await receiver.subscribe(`flow-${n}`, healthy.url);
	const tenth = await target();
	await receiver.subscribe('tenth', withDead ? dead.url : tenth.url);
	const emit = async (id: string) => {
		sent.set(id, performance.now());
		await receiver.emit({ id, event: 'aes_sent' });
	};
	for (let n = 0; n < 40; n++) await emit(`warm-${n}`);
	await until(() => taken.length === 40 * 9, 'all are warm');
	taken.length = 0;
	for (let n = 0; n < 250; n++) await emit(`e-${n}`);
	await until(() => taken.length === 250 * 9, 'all arrive');
	return taken;
}
