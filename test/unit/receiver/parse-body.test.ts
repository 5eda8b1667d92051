import fc from 'fast-check';
import { parseBody } from '../../../webhook-receiver/src/core/parse-body.ts';
import { cpuTime } from '../../support/cpu-time.ts';

describe('reading bodies', () => {
	it.each([
		['{"a":1}', [{ a: 1 }]],
		['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
		['{"events":[{"a":1}]}', [{ a: 1 }]],
		['{"batch":7,"events":[{"a":1},{"a":2}]}', [{ a: 1 }, { a: 2 }]],
		['{"events":[]}', []],
		['[]', []],
		['null', [null]],
		['"text"', ['text']],
		['\ufeff{"a":1}', [{ a: 1 }]],
		['{"events":[],"event":"mt_sent"}', [{ events: [], event: 'mt_sent' }]],
		['{"events":["x"]}', [{ events: ['x'] }]],
		['{"events":{"a":1}}', [{ events: { a: 1 } }]],
		['{"events":null}', [{ events: null }]],
		['{"data":[{"a":1}]}', [{ data: [{ a: 1 }] }]],
		['[[{"a":1}],{"a":3}]', [[{ a: 1 }], { a: 3 }]],
		['{"id":9007199254740993,"n":1.50}', [{ id: '9007199254740993', n: 1.5 }]],
		['event=aes_sent&messageId=1', [{ event: 'aes_sent', messageId: '1' }]],
		['data[id]=1&data[message][id]=2', [{ data: { id: '1', message: { id: '2' } } }]],
		['events[0][a]=1&events[0][b]=2&events[1][a]=3', [{ a: '1', b: '2' }, { a: '3' }]],
		['events[][a]=1&events[][a]=3', [{ a: '1' }, { a: '3' }]],
		['a=12&b=true&c=%7B%7D', [{ a: '12', b: 'true', c: '{}' }]],
		['a[b][c]=1&a[b][d]=2&a[e]=3', [{ a: { b: { c: '1', d: '2' }, e: '3' } }]],
		['a=1&a[b]=2', [{ a: { b: '2' } }]],
		['a[b]=1&a=2', [{ a: '2' }]],
		['a[toString][b]=1', [{ a: { toString: { b: '1' } } }]],
		['a[]=1&a[]=2', [{ a: ['1', '2'] }]],
		['a[1]=2&a[0]=1', [{ a: ['1', '2'] }]],
		['a[0]=1&a[b]=2', [{ a: { 0: '1', b: '2' } }]],
	])('[EVNT-03][R] reads %s', (body, events) => {
		expect(parseBody(Buffer.from(body))).toEqual(events);
	});

	it.each([
		['', 'neither JSON nor a form'],
		['{"a":', 'neither JSON nor a form'],
		['<html>Moved</html>', 'neither JSON nor a form'],
		['['.repeat(100_000) + ']'.repeat(100_000), 'deeper than 64'],
		[`a${'[b]'.repeat(20_000)}=1`, 'deeper than 64'],
	])('refuses a broken body (%#) and says why', (body, reason) => {
		expect(() => parseBody(Buffer.from(body))).toThrow(
			expect.objectContaining({
				status: 400,
				code: 'broken-body',
				message: expect.stringMatching(`body can't be read.*${reason}`),
			}),
		);
	});

	/** As browsers, curl and others write it. */
	const multipart = (parts: Array<[string, string]>, lineBreak = '\r\n') =>
		[
			...parts.flatMap(([head, value]) => [
				'--limit 1',
				`Content-Disposition: form-data; ${head}`,
				'',
				value,
			]),
			`--limit 1--${lineBreak}`,
		].join(lineBreak);

	it.each<[Array<[string, string]>, object]>([
		[[['name="event"', 'aes_sent']], { event: 'aes_sent' }],
		[
			[
				['name=event', 'aes_sent'],
				['name=messageId', '1'],
			],
			{ event: 'aes_sent', messageId: '1' },
		],
		[
			[
				['name="data[id]"', '1'],
				['name="data[note]"\r\nContent-Type: text/plain', 'a\r\n\r\nb'],
			],
			{ data: { id: '1', note: 'a\r\n\r\nb' } },
		],
		[[['name="é"', 'à --limit 1']], { é: 'à --limit 1' }],
		[[['name="empty"', '']], { empty: '' }],
	])('[EVNT-03][R] reads a multipart form: %j', (parts, event) => {
		expect(parseBody(Buffer.from(multipart(parts)))).toEqual([event]);
		if (parts.some(([head, value]) => `${head}${value}`.includes('\r'))) return;
		expect(parseBody(Buffer.from(multipart(parts, '\n')))).toEqual([event]);
	});

	it('[EVNT-03][R] takes a body for what it is', () =>
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.stringMatching(/^[a-z]{1,9}$/),
					fc.stringMatching(/^[a-z0-9 é"&=+%]{0,20}$/),
					{ minKeys: 1 },
				),
				(fields) => {
					const parts = Object.entries(fields).map(([name, value]): [string, string] => {
						return [`name="${name}"`, value];
					});
					for (const body of [
						JSON.stringify(fields),
						new URLSearchParams(fields).toString(),
						multipart(parts),
					]) {
						expect(parseBody(Buffer.from(body))).toEqual([fields]);
					}
				},
			),
		));

	it('64 levels are read, one more is not', () => {
		const nested = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
		const inForm = (levels: number) => `a${'[b]'.repeat(levels - 1)}=1`;
		for (const body of [nested, inForm]) {
			expect(parseBody(Buffer.from(body(64)))).toHaveLength(1);
			expect(() => parseBody(Buffer.from(body(65)))).toThrow('deeper');
		}
	});

	it.each(['a[]=&', 'a[][b]=&'])('reads 40,000 entries of %s without effort', (pair) => {
		const start = cpuTime();
		const [event] = parseBody(Buffer.from(pair.repeat(40_000))) as [{ a: unknown[] }];
		expect(event.a).toHaveLength(40_000);
		expect(cpuTime() - start).toBeLessThan(2_000);
	});

	it.each(['[]', '{"a":1,"events":[]}'])(
		'more than a thousand events in %s are refused',
		(list) => {
			const many = (count: number) =>
				Buffer.from(list.replace('[]', JSON.stringify(Array(count).fill({}))));
			expect(parseBody(many(1_000))).toHaveLength(1_000);
			expect(() => parseBody(many(1_001))).toThrow(
				expect.objectContaining({ status: 413, code: 'too-many-events' }),
			);
		},
	);

	it('leaves prototypes alone', () => {
		const text = 'a[b]=1&__proto__[polluted]=1&a[__proto__][polluted]=1';
		const [event] = parseBody(Buffer.from(text)) as [{ polluted?: unknown; a: object }];
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
		expect(event.polluted).toBeUndefined();
		expect(event.a).toEqual({ b: '1' });
		expect(Object.getPrototypeOf(event.a)).toBe(Object.prototype);
	});
});
