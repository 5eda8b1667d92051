import { readEvents } from '../../../webhook-receiver/src/core/read-events.ts';

it('[EVNT-03][R] keeps the events of a letter in the order of their times, the others where they are', () => {
	const at = (second: number) => ({ timestamp: 1769851800 + second });
	const letter = (event: string, more = {}, messageId: number | null = 123) => {
		return { event, messageId, ...more };
	};
	const events = [
		letter('aes_opened', at(3)),
		letter('aes_sent', at(9), 456),
		letter('aes_sent', at(1)),
		letter('new_one'),
		letter('aes_received', at(2)),
		letter('aes_received', at(5), 456),
		letter('aes_sent', at(4), 789),
		letter('aes_received', at(4), 789),
		letter('aes_opened', at(2), 789),
		letter('aes_opened', { timestamp: '2026-01-31' }),
		letter('aes_received', { timestamp: '2026-01-30' }),
		letter('aes_opened', at(8), null),
		letter('aes_sent', at(7), null),
	];
	const read = readEvents(events, {});
	expect(read.map(({ event }) => [event.messageId?.slice(-3), event.sourceType])).toEqual([
		['123', 'aes_sent'],
		['456', 'aes_received'],
		['123', 'aes_received'],
		['123', 'new_one'],
		['123', 'aes_opened'],
		['456', 'aes_sent'],
		// A time that two kinds share is the message's.
		['789', 'aes_sent'],
		['789', 'aes_received'],
		['789', 'aes_opened'],
		// A date alone orders nothing, nor is there an order of what is about no letter.
		['123', 'aes_opened'],
		['123', 'aes_received'],
		[undefined, 'aes_opened'],
		[undefined, 'aes_sent'],
	]);
});
