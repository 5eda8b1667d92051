import fc from 'fast-check';

import { readMessageId } from '../../../nodes/shared/fields/messageId.ts';

it.each([
	['123456789012', '123456789012'],
	['000000000001', '000000000001'],
	[' 123456789012\n', '123456789012'],
	[123456789012, '123456789012'],
	[1, '000000000001'],
	[0, '000000000000'],
	[999_999_999_999, '999999999999'],
])('[READ-01][N] %j is the message ID %s', (value, id) => {
	expect(readMessageId(value)).toEqual({ value: id });
});

it.each([
	['', 'empty'],
	['   ', 'empty'],
	[null, 'empty'],
	[undefined, 'empty'],
	['12345678901', '"12345678901"'],
	['1234567890123', 'exactly 12 digits'],
	['12345678901a', 'exactly 12 digits'],
	['1234 5678 9012', 'exactly 12 digits'],
	['+23456789012', 'exactly 12 digits'],
	['１２３４５６７８９０１２', 'exactly 12 digits'],
	['123456789012\n3', 'exactly 12 digits'],
	[1_000_000_000_000, 'exactly 12 digits'],
	[-1, '"-1" is not'],
	[1.5, '"1.5" is not'],
	[1e21, '"1e+21" is not'],
	[NaN, 'exactly 12 digits'],
	[true, 'exactly 12 digits'],
	[['123456789012'], 'exactly 12 digits'],
	[{ id: '123456789012' }, '{"id":"123456789012"}'],
	[{ toString: 1, valueOf: 1 }, 'exactly 12 digits'],
])('[READ-01][N] %j is refused: %s', (value, words) => {
	expect(readMessageId(value)).toEqual({ problem: expect.stringContaining(words) });
});

const validId = fc.stringMatching(/^\d{12}$/);

it('[READ-01][N] any 12 digits are taken, as text and as the number a spreadsheet makes of them', () => {
	fc.assert(
		fc.property(validId, (id) => {
			expect(readMessageId(id)).toEqual({ value: id });
			expect(readMessageId(Number(id))).toEqual({ value: id });
		}),
	);
});

it('[READ-01][N] any text but 12 digits is refused', () => {
	const text = fc.oneof(
		fc.string(),
		fc.stringMatching(/^\d{1,20}$/),
		fc.stringMatching(/^[\d .-]+$/),
	);
	fc.assert(
		fc.property(text, (given) => {
			expect('value' in readMessageId(given)).toBe(/^[0-9]{12}$/.test(given.trim()));
		}),
	);
});

it('never throws, whatever JSON it is given, and an ID always has 12 digits', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			const result = readMessageId(value);
			expect('value' in result ? result.value : '000000000000').toMatch(/^\d{12}$/);
		}),
	);
});
