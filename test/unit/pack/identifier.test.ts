import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

import {
	identifierWarnings,
	isLuhn,
	isMod97,
} from '../../../nodes/shared/recipients/identifier.ts';

// Of the national registers; La Poste's exception is about its SIRETs, and its SIREN is like any other.
const SIRENS = ['732829320', '356000000', '552100554'];
const BCES = ['0123456749', '1123456770', '0202239951'];

const digits = (count: number) => fc.stringMatching(new RegExp(`^\\d{${count}}$`));
/** The digits that make a number of the first ones, found by trying them. */
const completed = (first: string, count: number, fits: (whole: string) => boolean) =>
	Array.from(
		{ length: 10 ** count },
		(_, last) => first + String(last).padStart(count, '0'),
	).filter(fits);
const siren = digits(8).map((first) => completed(first, 1, isLuhn)[0]);
const bce = digits(8).map((first) => completed(first, 2, isMod97)[0]);
/** The same number with one digit another. */
const mistyped = (whole: fc.Arbitrary<string>) =>
	fc.tuple(whole, fc.nat(), fc.integer({ min: 1, max: 9 })).map(([number, position, change]) => {
		const at = position % number.length;
		const digit = (Number(number[at]) + change) % 10;
		return number.slice(0, at) + String(digit) + number.slice(at + 1);
	});

it.each(SIRENS)('takes the SIREN %s', (number) => {
	expect(isLuhn(number)).toBe(true);
});

it.each(BCES)('takes the BCE number %s, with dots as well', (number) => {
	expect(isMod97(number)).toBe(true);
	expect(isMod97(number.replace(/^(\d{4})(\d{3})/, '$1.$2.'))).toBe(true);
});

it('of the endings of a number exactly one fits', () => {
	fc.assert(
		fc.property(digits(8), (first) => {
			expect(completed(first, 1, isLuhn)).toHaveLength(1);
			expect(completed(first, 2, isMod97)).toHaveLength(1);
		}),
	);
});

it('notices any digit that is another', () => {
	fc.assert(fc.property(mistyped(siren), (number) => expect(isLuhn(number)).toBe(false)));
	fc.assert(fc.property(mistyped(bce), (number) => expect(isMod97(number)).toBe(false)));
});

it('notices neighbouring digits that changed places, as far as a check digit can', () => {
	const swapped = (whole: fc.Arbitrary<string>) =>
		fc
			.tuple(whole, fc.nat())
			.map(([number, position]) => {
				const at = position % (number.length - 1);
				const [one, other] = number.slice(at, at + 2);
				return {
					pair: one + other,
					number: number.slice(0, at) + other + one + number.slice(at + 2),
				};
			})
			.filter(({ pair: [one, other] }) => one !== other);
	fc.assert(
		// Luhn does not see 09 and 90.
		fc.property(swapped(siren), ({ pair, number }) =>
			expect(isLuhn(number)).toBe(['09', '90'].includes(pair)),
		),
	);
	fc.assert(fc.property(swapped(bce), ({ number }) => expect(isMod97(number)).toBe(false)));
});

const warningsOf = (identifier: string, identifierType: 'SIREN' | 'BCE', isNumber = false) =>
	identifierWarnings({ identifier, identifierType }, 'Martin SARL', isNumber);

it('warns in words that name number and recipient, and not of right numbers', () => {
	expect(warningsOf('732829320', 'SIREN')).toEqual([]);
	expect(warningsOf('732829321', 'SIREN')).toEqual([
		{
			parameter: 'Identifier',
			message:
				'"732829321" (Martin SARL) is probably mistyped: its last digit is not the check digit of a SIREN.',
		},
	]);
	expect(warningsOf('0123.456.749', 'BCE')).toEqual([]);
	expect(warningsOf('0123.456.789', 'BCE')).toEqual([
		{
			parameter: 'Identifier',
			message:
				'"0123.456.789" (Martin SARL) is probably mistyped: its last two digits are not the check digits of a BCE number.',
		},
	]);
});

it('nine digits that came as a number may have lost a zero, though the check digit fits; ten have not', () => {
	expect(warningsOf('123457046', 'SIREN', true)).toEqual([
		{
			parameter: 'Identifier',
			message:
				'"123457046" (Martin SARL) came as a number, and a number has no zero in front. If it is the BCE number 0123457046, format the column as text.',
		},
	]);
	expect(warningsOf('123457046', 'SIREN')).toEqual([]);
	expect(warningsOf('1123456770', 'BCE', true)).toEqual([]);
});

it('every number that we show as an example is right', () => {
	const shown = ['nodes', 'sandbox/src', 'examples', 'docs', 'demo']
		.flatMap((folder) => filesIn(folder))
		.concat('README.md')
		.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
	const found = (pattern: RegExp) =>
		shown.flatMap(({ file, text }) =>
			[...text.matchAll(pattern)].map(([, number]) => ({ file, number })),
		);
	const bces = found(/\b([01]\d{3}\.\d{3}\.\d{3})\b/g);
	const sirens = found(/(?:identifier|siren)\W{1,6}(\d{9})\b/gi);
	expect([bces.length, sirens.length].every((count) => count > 0)).toBe(true);
	expect(bces.filter(({ number }) => !isMod97(number))).toEqual([]);
	expect(sirens.filter(({ number }) => !isLuhn(number))).toEqual([]);
});

function filesIn(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile() && /\.(ts|json|md)$/.test(entry.name))
		.map(({ parentPath, name }) => join(parentPath, name));
}
