import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseBody } from '../../../webhook-receiver/src/core/parse-body.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const rawsOf = (...body: Parameters<typeof parseBody>) => parseBody(...body).map(({ raw }) => raw);

describe('reading bodies', () => {
	const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
	it.each([
		['{"a":1}', 'application/json', [{ a: 1 }]],
		['[{"a":1},{"a":2}]', 'application/json', [{ a: 1 }, { a: 2 }]],
		['{"events":[{"a":1}]}', undefined, [{ a: 1 }]],
		['{"events":[]}', undefined, []],
		['"text"', 'text/plain', ['text']],
		['\ufeff{"a":1}', undefined, [{ a: 1 }]],
		['event=aes_sent&messageId=1', FORM, [{ event: 'aes_sent', messageId: '1' }]],
		['data[id]=1&data[message][id]=2', FORM, [{ data: { id: '1', message: { id: '2' } } }]],
		['payload=%7B%22id%22%3A1%7D', FORM, [{ payload: { id: 1 } }]],
		['events=%5B%7B%22a%22%3A1%7D%5D', FORM, [{ a: 1 }]],
		['a={broken', FORM, [{ a: '{broken' }]],
		['a=%20%7B%22b%22%3A1%7D', FORM, [{ a: { b: 1 } }]],
		['a=%22[1]%22', FORM, [{ a: '"[1]"' }]],
		['a=12&b=true&c=null', FORM, [{ a: '12', b: 'true', c: 'null' }]],
		['a[b][c]=1&a[b][d]=2&a[e]=3', FORM, [{ a: { b: { c: '1', d: '2' }, e: '3' } }]],
		['a=1&a[b]=2', FORM, [{ a: { b: '2' } }]],
		['a[b]=1&a=2', FORM, [{ a: '2' }]],
		['a[b]c]=1', FORM, [{ a: { 'b]c': '1' } }]],
		['a[toString][b]=1', FORM, [{ a: { toString: { b: '1' } } }]],
		['a[]=1&a[]=2', FORM, [{ a: ['1', '2'] }]],
		['a[1]=2&a[0]=1', FORM, [{ a: ['1', '2'] }]],
		['a[0]=1&a[b]=2', FORM, [{ a: { 0: '1', b: '2' } }]],
		['events[0][a]=1&events[0][b]=2&events[1][a]=3', FORM, [{ a: '1', b: '2' }, { a: '3' }]],
		['events[][a]=1&events[][b]=2&events[][a]=3', FORM, [{ a: '1', b: '2' }, { a: '3' }]],
		['data[0][event]=mt_sent', FORM, [{ event: 'mt_sent' }]],
		['{"events":[],"event":"mt_sent"}', undefined, [{ events: [], event: 'mt_sent' }]],
		['{"events":["x"]}', undefined, [{ events: ['x'] }]],
		[
			'{"events":[{"a":1}],"event":"aes_sent","messageId":"1"}',
			undefined,
			[{ events: { a: 1 }, event: 'aes_sent', messageId: '1' }],
		],
		['{"data":[{"a":1},"text"]}', undefined, [{ data: [{ a: 1 }, 'text'] }]],
		[
			'{"messageId":"1","data":[{"a":1},{"a":2}]}',
			undefined,
			[
				{ messageId: '1', data: { a: 1 } },
				{ messageId: '1', data: { a: 2 } },
			],
		],
		[
			'{"event":"mt_sent","data":[{"type":"lre","id":1}]}',
			undefined,
			[{ event: 'mt_sent', data: { type: 'lre', id: 1 } }],
		],
		['{"id":9007199254740993,"n":5}', undefined, [{ id: '9007199254740993', n: 5 }]],
		['a[x1]=1', FORM, [{ a: { x1: '1' } }]],
		['a[1x]=1', FORM, [{ a: { '1x': '1' } }]],
		['a[10]=1', FORM, [{ a: ['1'] }]],
		['a=%7B%7D', FORM, [{ a: {} }]],
		['{"data":[{"a":1},{"a":2}]}', undefined, [{ a: 1 }, { a: 2 }]],
		['{"object":[{"a":1},{"a":2}]}', undefined, [{ a: 1 }, { a: 2 }]],
		['{"event":[{"a":1},{"a":2}]}', undefined, [{ a: 1 }, { a: 2 }]],
		['[[{"a":1},{"a":2}],{"a":3}]', undefined, [[{ a: 1 }, { a: 2 }], { a: 3 }]],
		['{"payload":{"events":[{"a":1}]}}', undefined, [{ a: 1 }]],
		[
			'{"event":"mt_sent","messageId":1,"data":[{"a":1}]}',
			undefined,
			[{ event: 'mt_sent', messageId: 1, data: [{ a: 1 }] }],
		],
		['{"payload":{"events":[]}}', undefined, [{ payload: { events: [] } }]],
		['{"data":["a","b"],"event":"x"}', undefined, [{ data: ['a', 'b'], event: 'x' }]],
		[
			'{"event":"mt_sent","data":[{"messageId":1},{"messageId":2}]}',
			undefined,
			[
				{ event: 'mt_sent', data: { messageId: 1 } },
				{ event: 'mt_sent', data: { messageId: 2 } },
			],
		],
		[
			'{"type":"batch","date":1,"events":[{"name":"mt_sent"},{"kind":"new"},{"n":3}]}',
			undefined,
			[{ name: 'mt_sent' }, { kind: 'new' }, { type: 'batch', date: 1, events: { n: 3 } }],
		],
		['{"id":9007199254740993,"n":1.50}', undefined, [{ id: '9007199254740993', n: 1.5 }]],
		['=1', FORM, [{ '': '1' }]],
		['a=1', ' Application/X-WWW-Form-URLencoded ', [{ a: '1' }]],
		['null', undefined, [null]],
		['[]', undefined, []],
		['{"events":{"a":1}}', undefined, [{ events: { a: 1 } }]],
		['{"events":null}', undefined, [{ events: null }]],
	])('[EVNT-03][R] reads %s', (body, type, events) => {
		expect(rawsOf(Buffer.from(body), type)).toEqual(events);
	});

	it.each([
		['', undefined, 'empty'],
		['', FORM, 'empty'],
		['&', FORM, 'empty'],
		['{"a":', 'application/json', 'not JSON'],
		['['.repeat(100_000) + ']'.repeat(100_000), 'application/json', 'deeper than 64'],
		[`a${'[b]'.repeat(20_000)}=1`, FORM, 'deeper than 64'],
		[`a=${'{"b":'.repeat(50_000)}1${'}'.repeat(50_000)}`, FORM, 'deeper than 64'],
		['<html>Moved</html>', undefined, 'not JSON'],
		['no event', 'application/json', 'not JSON'],
		['{"a":1}\n{"a":2}\n', 'application/x-ndjson', 'NDJSON'],
		[gzipSync('{"a":1}'), 'application/json', 'compressed .gzip.'],
		[Buffer.from('\ufeff{"a":1}', 'utf16le'), 'application/json', 'UTF-16'],
		[Buffer.from('{"a":1}', 'utf16le'), 'application/json', 'UTF-16'],
		[Buffer.from('{"a":1}', 'utf16le').swap16(), 'application/json', 'UTF-16'],
		[Buffer.from([0x22, 0xff, 0x22]), undefined, 'not UTF-8'],
		[Buffer.from('a=\xff', 'latin1'), FORM, 'not UTF-8'],
	])('refuses a broken body (%#) and says why', (body, type, reason) => {
		expect(() => parseBody(Buffer.from(body as string), type)).toThrow(
			expect.objectContaining({
				status: 400,
				code: 'broken-body',
				message: expect.stringMatching(`body can't be read.*${reason}`),
			}),
		);
	});

	/** As browsers, curl and others write it; its type is of no account. */
	const multipart = (parts: Array<[string, string | Buffer]>, lineBreak = '\r\n') =>
		Buffer.concat([
			...parts.flatMap(([head, value]) => [
				Buffer.from(
					['--limit 1', `Content-Disposition: form-data; ${head}`, '', ''].join(lineBreak),
				),
				Buffer.from(value as string),
				Buffer.from(lineBreak),
			]),
			Buffer.from(`--limit 1--${lineBreak}`),
		]);

	it.each([
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
				['name="data[note]"', 'a\r\n\r\nb'],
			],
			{ data: { id: '1', note: 'a\r\n\r\nb' } },
		],
		[[['name="payload"\r\nContent-Type: application/json', '{"id":1}']], { payload: { id: 1 } }],
		[
			[
				['name="a[]"', '1'],
				['name="a[]"', '2'],
			],
			{ a: ['1', '2'] },
		],
		[[['name="é"', 'à --limit 1']], { é: 'à --limit 1' }],
		[[['name="empty"', '']], { empty: '' }],
		[
			[
				['name="event"', 'lre_failed'],
				['name="evidence"; filename="é.pdf"', Buffer.from([0xff, 0x0d, 0x0a])],
			],
			{ event: 'lre_failed', evidence: { filename: 'é.pdf', bytes: 3 } },
		],
	] as Array<[Array<[string, string | Buffer]>, object]>)(
		'[EVNT-03][R] reads a multipart form: %j',
		(parts, event) => {
			for (const type of [
				'multipart/form-data; boundary="limit 1"',
				'application/json',
				undefined,
			]) {
				expect(rawsOf(multipart(parts), type)).toEqual([event]);
			}
			const text = parts.every(([head, value]) => !/\r/.test(`${head}${value.toString('latin1')}`));
			if (text) expect(rawsOf(multipart(parts, '\n'), undefined)).toEqual([event]);
		},
	);

	it('[EVNT-03][R] takes a body for what it is, whatever its type says', () =>
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.stringMatching(/^[a-z]{1,9}$/),
					fc.stringMatching(/^[a-z0-9 é"&=+%]{0,20}$/),
					{
						minKeys: 1,
					},
				),
				fc.constantFrom(undefined, FORM, 'application/json', 'text/plain', 'multipart/form-data'),
				(fields, type) => {
					const parts = Object.entries(fields).map(([name, value]): [string, string] => {
						return [`name="${name}"`, value];
					});
					for (const body of [
						JSON.stringify(fields),
						new URLSearchParams(fields).toString(),
						multipart(parts),
					]) {
						expect(rawsOf(Buffer.from(body as string), type)).toEqual([fields]);
					}
				},
			),
			{ examples: [[{ event: 'aes_sent', id: '1' }, 'application/json']] },
		));

	it('64 levels are read, one more is not', () => {
		const nested = (levels: number) => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
		const inForm = (levels: number) => `a${'[b]'.repeat(levels - 1)}=1`;
		expect(parseBody(Buffer.from(nested(64)), undefined)).toHaveLength(1);
		expect(parseBody(Buffer.from(inForm(64)), FORM)).toHaveLength(1);
		expect(() => parseBody(Buffer.from(nested(65)), undefined)).toThrow('deeper');
		expect(() => parseBody(Buffer.from(inForm(65)), FORM)).toThrow('deeper');
	});

	describe('lists in forms', () => {
		it.each([
			['a[5]=1&a[]=2', { a: ['2', '1'] }],
			['a[0]=1&a[0]=2&a[]=3', { a: ['2', '3'] }],
			['a[b]=1&a[]=2', { a: { b: '1', 1: '2' } }],
			['a=%7B%22b%22%3A1%7D&a[]=2', { a: { b: 1, 1: '2' } }],
			['a[]=%7B%22b%22%3A1%7D&a[][c]=2&a[][b]=3', { a: [{ b: 1, c: '2' }, { b: '3' }] }],
		])('[EVNT-03][R] reads %s', (body, event) => {
			expect(rawsOf(Buffer.from(body), FORM)).toEqual([event]);
		});

		it.each(['a[]=&', 'a[][b]=&'])('reads 40,000 entries of %s without effort', (pair) => {
			const start = cpuTime();
			const [event] = rawsOf(Buffer.from(pair.repeat(40_000)), FORM) as [{ a: unknown[] }];
			expect(event.a).toHaveLength(40_000);
			expect(cpuTime() - start).toBeLessThan(2_000);
		});
	});

	describe('[EVNT-03][R] what surrounds a list', () => {
		const read = (body: object) => parseBody(Buffer.from(JSON.stringify(body)), undefined);
		const [first, second] = [{ n: 1 }, { n: 2 }];

		it('goes with its events: all of it with the first, with the others what is short', () => {
			const around = { note: 'x'.repeat(2_000), type: 'batch', date: 1 };
			const leftOut = expect.stringMatching(/^[0-9a-f]{64}$/);
			const events = read({ ...around, events: [first, second] });
			expect(events).toEqual([
				{ raw: { ...around, events: first }, own: first, around: [around], leftOut },
				{
					raw: { type: 'batch', date: 1, events: second },
					own: second,
					around: [around],
					leftOut,
				},
			]);
			const [other] = read({ ...around, note: 'y'.repeat(2_000), events: [first] });
			expect(other?.leftOut).not.toBe(events[0]?.leftOut);
			expect(read({ events: [] })).toEqual([]);
			expect(read(first)).toEqual([{ raw: first, own: first, around: [], leftOut: '' }]);
		});

		it('is short up to a thousand characters, the shortest first, in the order it came in', () => {
			const kept = (around: object) => read({ ...around, events: [first, second] })[1]?.raw;
			const [b, c] = ['x'.repeat(600), 'x'.repeat(500)];
			expect(kept({ b, c, d: 1 })).toEqual({ c, d: 1, events: second });
			expect(Object.keys(kept({ c, d: 1 }) as object)).toEqual(['c', 'd', 'events']);
			const whole = { a: 'x'.repeat(992) };
			expect(kept(whole)).toEqual({ ...whole, events: second });
			expect(kept({ a: `${whole.a}x` })).toEqual({ events: second });
		});

		it('is outermost first, of three objects at the most', () => {
			const nested = (levels: number): object =>
				levels === 1 ? { level: 1, events: [first] } : { level: levels, data: nested(levels - 1) };
			const fields = [{ level: 3 }, { level: 2 }, { level: 1 }];
			expect(read(nested(3))).toEqual([
				{
					raw: { level: 3, data: { level: 2, data: { level: 1, events: first } } },
					own: first,
					around: fields,
					leftOut: '',
				},
			]);
			expect(read(nested(4))).toMatchObject([{ own: nested(4), around: [] }]);
		});
	});

	describe('too many events', () => {
		const many = (count: number, entry = '{}') => `[${Array(count).fill(entry).join()}]`;
		const under = (levels: number, inner: string) =>
			'{"a":1,"events":'.repeat(levels) + inner + '}'.repeat(levels);

		it.each([
			many(300_000),
			under(1, many(300_000)),
			under(3, many(20_000)),
			under(1, many(100_000, under(1, many(1)))),
		])('are refused without effort (%#)', (body) => {
			const start = cpuTime();
			const refused = { status: 413, code: 'too-many-events' };
			expect(() => parseBody(Buffer.from(body), undefined)).toThrow(
				expect.objectContaining(refused),
			);
			expect(cpuTime() - start).toBeLessThan(2_000);
		});

		it.each([0, 1])('are more than a thousand, surrounded by %i', (levels) => {
			const read = (count: number) => parseBody(Buffer.from(under(levels, many(count))), undefined);
			expect(read(1_000)).toHaveLength(1_000);
			expect(() => read(1_001)).toThrow('more than 1000 events');
		});

		it.each([
			`{"event":"mt_sent","messageId":1,"data":${many(1_001)}}`,
			`{"event":"mt_sent","messageId":1,"data":${under(2, many(1_001))}}`,
			`{"event":"mt_sent","data":${many(1_001, '"label"')}}`,
		])('are not the details of one (%#)', (body) => {
			expect(rawsOf(Buffer.from(body), undefined)).toEqual([JSON.parse(body)]);
		});
	});

	it('leaves prototypes alone', () => {
		const text = '__proto__[polluted]=1&a[__proto__][polluted]=1&a[b]=1';
		const [event] = rawsOf(Buffer.from(text), FORM) as [{ polluted?: unknown; a: object }];
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
		expect(event.polluted).toBeUndefined();
		expect(event.a).toEqual({ b: '1' });
		expect(Object.getPrototypeOf(event.a)).toBe(Object.prototype);
	});
});
