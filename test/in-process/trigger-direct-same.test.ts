// The direct trigger, and events that look like one that came before.
import {
	event,
	executions,
	messageId,
	open,
	restart,
	send,
	test,
	useDirectTrigger,
} from './direct-trigger.ts';

useDirectTrigger();
afterEach(() => jest.restoreAllMocks());

const started = () => executions.flat();
const DAY = 86_400_000;
const later = (ms: number) => {
	const now = Date.now() + ms;
	jest.restoreAllMocks();
	jest.spyOn(Date, 'now').mockReturnValue(now);
};

it.each([
	['asked for', {}],
	['not asked for', { events: ['tracked_mail.received'] }],
])(
	'[STAT-05][T] direct: a delivery after a bounce that is %s is new, once',
	async (_, parameters) => {
		open(parameters);
		const bare = async (...names: string[]) => {
			for (const name of names) await send({ event: `aes_${name}`, messageId: messageId() });
		};
		const deliveries = () =>
			started().filter(({ type }) => type === 'tracked_mail.received').length;
		await bare('received', 'received');
		await send({ event: 'aes_undelivered', messageId: messageId(1) });
		await bare('received');
		expect(deliveries()).toBe(1);
		await bare('undelivered', 'received', 'received');
		expect(deliveries()).toBe(2);
	},
);

it('[EVNT-05][T] direct: with its id and time it is known for thirty days', async () => {
	await send(event('aes_opened'));
	for (const [ms, count] of [
		[30 * DAY - 1_000, 1],
		[2_000, 2],
	]) {
		later(ms);
		await send(event('aes_opened'));
		expect(executions).toHaveLength(count);
	}
});

it('[EVNT-05][T] direct: with neither it is another event after ten minutes', async () => {
	const payload = { event: 'aes_opened', number: test };
	await send(payload);
	later(599_000);
	await send(payload);
	expect(executions).toHaveLength(1);
	later(2_000);
	await send(payload);
	const [one, other] = started();
	expect(other.id).not.toBe(one.id);
	expect(Number(other.sequence)).toBeGreaterThan(Number(one.sequence));
});

it('[EVNT-05][T] direct: over a restart of n8n the last hundred letters are known', async () => {
	const letters = Array.from({ length: 101 }, (_, at) => ({
		event: 'aes_opened',
		messageId: messageId(at),
	}));
	await send(letters);
	restart();
	await send(letters.slice(1));
	expect(executions).toHaveLength(1);
});
