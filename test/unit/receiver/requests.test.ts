import * as fc from 'fast-check';

import { fitting, requestsOf } from '../../../webhook-receiver/src/deliver/requests.ts';

/** `a1` is the first event of message `a`; `-1` one of no message. */
const messageOf = (delivery: string) => (delivery.startsWith('-') ? null : delivery[0]);
const requests = (deliveries: string, batchSize: number) =>
	requestsOf(fitting(deliveries.split(' '), batchSize, messageOf), batchSize)
		.map((request) => request.join(' '))
		.join(' | ');

it.each([
	['one message waits for itself', 'a1 a2 a3', 1, 'a1'],
	['messages go side by side', 'a1 b1 c1', 1, 'a1 | b1 | c1'],
	['what follows waits, others do not', 'a1 a2 b1 a3 c1', 1, 'a1 | b1 | c1'],
	['events of no message wait for nobody', '-1 -2 -3', 1, '-1 | -2 | -3'],
	['one request carries a message in order', 'a1 a2 a3', 3, 'a1 a2 a3'],
	['what did not fit into it waits', 'a1 a2 a3 b1', 2, 'a1 a2 | b1'],
	['it is filled from whatever comes next', 'a1 b1 a2 c1 b2 c2', 2, 'a1 b1 | c1 c2'],
])('%s', (_, deliveries, batchSize, expected) => {
	expect(requests(deliveries, batchSize)).toBe(expected);
});

it('never puts a message into two requests, nor its events out of order', () => {
	const deliveries = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '-'), { maxLength: 40 });
	fc.assert(
		fc.property(deliveries, fc.integer({ min: 1, max: 7 }), (messages, batchSize) => {
			const all = messages.map((message, n) => `${message}${n}`);
			const chosen = requestsOf(fitting(all, batchSize, messageOf), batchSize);
			for (const message of ['a', 'b', 'c', 'd']) {
				const having = chosen.filter((one) => one.some((delivery) => delivery.startsWith(message)));
				expect(having.length).toBeLessThanOrEqual(1);
				const own = (from: string[]) => from.filter((delivery) => delivery.startsWith(message));
				const sent = own(chosen.flat());
				expect(sent).toEqual(own(all).slice(0, sent.length));
			}
			expect(chosen.slice(0, -1).every(({ length }) => length === batchSize)).toBe(true);
			expect(chosen.length > 0).toBe(all.length > 0);
		}),
	);
});
