import type { FieldReader } from '../fields/field';
import { ITEM_LABEL, itemProblem, type ItemProblem } from '../fields/invalidItem';

export type IdentifierType = 'SIREN' | 'BCE';

/** What a recipient says of its company's identifier; null for what was complained of. */
interface GivenIdentifier {
	companySiren: string | null;
	identifier: string | null;
	identifierType: string | null;
}

interface Identifier {
	identifier: string;
	identifierType: IdentifierType;
}

/**
 * Reads the legal identifier of a company (rules RCPT-03 to RCPT-07), and complains of what is wrong with it.
 *
 * @param nameOf names a member for the user
 * @returns null if there is none that is right
 */
export function readIdentifier(
	row: FieldReader,
	{ companySiren: siren, identifier, identifierType: type }: GivenIdentifier,
	isRequired: boolean,
	nameOf: (member: keyof GivenIdentifier) => string,
): Identifier | null {
	const complain = (message: string) => {
		row.complain(ITEM_LABEL, message);
		return null;
	};
	if (siren === null || identifier === null || type === null) return null;
	if (siren !== '' && (identifier !== '' || type !== '')) {
		return complain(
			`It has both ${nameOf('companySiren')} and ${nameOf('identifier')}; use one of them.`,
		);
	}
	const given = siren || identifier;
	if (given === '' && type !== '') {
		return complain(
			`It has ${nameOf('identifierType')} ${type}, but ${nameOf('identifier')} is missing.`,
		);
	}
	if (given === '') return isRequired ? complain(REQUIRED) : null;
	const identifierType = type.toUpperCase() || 'SIREN';
	if (!isIdentifierType(identifierType)) {
		return complain(`${nameOf('identifierType')} must be SIREN or BCE, not "${type}".`);
	}
	const { pattern, form } = IDENTIFIERS[identifierType];
	const plain = plainForm(given, identifierType);
	if (pattern.test(plain)) return { identifier: plain, identifierType };
	return complain(`The identifier "${given}" is not a ${identifierType}, which has ${form}.`);
}

const REQUIRED =
	'A registered letter (LRE) to a company needs its identifier: a SIREN of 9 digits or a BCE number of 10.';

const IDENTIFIERS = {
	SIREN: {
		pattern: /^\d{9}$/,
		form: 'exactly 9 digits',
		fits: isLuhn,
		misfit: 'last digit is not the check digit of a SIREN',
	},
	BCE: {
		pattern: /^[01](\d{9}|\d{3}\.\d{3}\.\d{3})$/,
		form: '10 digits that start with 0 or 1, such as 0123.456.749',
		fits: isMod97,
		misfit: 'last two digits are not the check digits of a BCE number',
	},
};

/** As the service takes it: registers write `732 829 320` and `BE 0123.456.749`, some keyboards wide digits. */
function plainForm(identifier: string, type: IdentifierType): string {
	const digits = identifier.normalize('NFKC').replace(/\s/g, '');
	return type === 'BCE' ? digits.replace(/^BE/i, '') : digits;
}

function isIdentifierType(type: string): type is IdentifierType {
	return Object.hasOwn(IDENTIFIERS, type);
}

/**
 * Warns of an identifier that is probably mistyped, and of one of 9 digits that came as a number and may have
 * lost the zero of a BCE number, whatever its check digit. The service checks only their format and would
 * write to whatever company has that number, so this stops nothing (rules RCPT-05, RCPT-06).
 *
 * @param whose names who has it
 * @param isNumber whether it came as a number
 */
export function identifierWarnings(
	{ identifier, identifierType }: Identifier,
	whose: string,
	isNumber: boolean,
): ItemProblem[] {
	const who = `"${identifier}" (${whose})`;
	const { fits, misfit } = IDENTIFIERS[identifierType];
	const warnings: ItemProblem[] = [];
	if (!fits(identifier)) {
		warnings.push(itemProblem('Identifier', `${who} is probably mistyped: its ${misfit}.`));
	}
	if (isNumber && identifier.length === 9) {
		const message = `${who} came as a number, and a number has no zero in front. If it is the BCE number 0${identifier}, format the column as text.`;
		warnings.push(itemProblem('Identifier', message));
	}
	return warnings;
}

/**
 * Whether the last digit of a SIREN fits the others: every second digit counts double, and the digits of
 * all of it add up to a multiple of ten (Luhn; from the right, but of nine digits that is the same). La
 * Poste is an exception with its SIRETs only; its SIREN follows the rule.
 *
 * @param siren 9 digits
 */
export function isLuhn(siren: string): boolean {
	const digits = [...siren].map(Number);
	const sum = digits.reduce((all, digit, at) => all + (at % 2 === 0 ? digit : doubled(digit)), 0);
	return sum % 10 === 0;
}

/**
 * Whether the last two digits of a BCE number fit the others: 97 less the remainder of the first eight
 * by 97.
 *
 * @param bce 10 digits, with or without dots
 */
export function isMod97(bce: string): boolean {
	const digits = bce.replaceAll('.', '');
	return 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8));
}

function doubled(digit: number): number {
	return digit < 5 ? digit * 2 : digit * 2 - 9;
}
