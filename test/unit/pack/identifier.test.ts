import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	identifierWarnings,
	isLuhn,
	isMod97,
} from '../../../nodes/shared/recipients/identifier.ts';

// Of the national registers; La Poste's exception is about its SIRETs, and its SIREN is like any other.
const SIRENS = ['732829320', '356000000', '552100554'];
const BCES = ['0123456749', '1123456770', '0202239951'];

/** The same number with one digit another, in all ways. */
const mistyped = (number: string) =>
	[...number].flatMap((digit, at) =>
		[...'0123456789']
			.filter((other) => other !== digit)
			.map((other) => number.slice(0, at) + other + number.slice(at + 1)),
	);
/** The same number with two unequal neighbours in each other's place, in all ways. */
const swapped = (number: string) =>
	[...number]
		.map((_, at) => ({ at, pair: number.slice(at, at + 2) }))
		.filter(({ pair: [one, other] }) => other !== undefined && one !== other)
		.map(({ at, pair: [one, other] }) => number.slice(0, at) + other + one + number.slice(at + 2));

it.each(SIRENS)('takes the SIREN %s', (number) => {
	expect(isLuhn(number)).toBe(true);
});

it.each(BCES)('takes the BCE number %s, with dots as well', (number) => {
	expect(isMod97(number)).toBe(true);
	expect(isMod97(number.replace(/^(\d{4})(\d{3})/, '$1.$2.'))).toBe(true);
});

it('notices any digit that is another', () => {
	expect(SIRENS.flatMap(mistyped).filter(isLuhn)).toEqual([]);
	expect(BCES.flatMap(mistyped).filter(isMod97)).toEqual([]);
});

it('notices neighbouring digits that changed places, as far as a check digit can', () => {
	expect(SIRENS.flatMap(swapped).filter(isLuhn)).toEqual([]);
	expect(BCES.flatMap(swapped).filter(isMod97)).toEqual([]);
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
