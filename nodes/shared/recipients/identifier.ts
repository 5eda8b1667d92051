import { itemProblem, type ItemProblem } from '../fields/invalidItem';

export type IdentifierType = 'SIREN' | 'BCE';

/** What a recipient says of its company's identifier; an empty text says nothing, and null is told to be wrong. */
interface GivenIdentifier {
	companySiren: string | null;
	identifier: string | null;
	identifierType: string | null;
}

type Legal = { identifier: string; identifierType: IdentifierType };

/** What is wrong with it; null if that is told already. */
type Wrong = { problem: string | null };

type NameOf = (member: keyof GivenIdentifier) => string;

/** Reads the legal identifier of a company (rules RCPT-03 to RCPT-07). @param nameOf names a member for the user */
export function readIdentifier(
	{ companySiren: siren, identifier, identifierType: type }: GivenIdentifier,
	nameOf: NameOf,
): Legal | { identifier?: undefined } | Wrong {
	if (siren === null || identifier === null || type === null) return { problem: null };
	if (siren !== '' && (identifier !== '' || type !== '')) {
		return {
			problem: `It has both ${nameOf('companySiren')} and ${nameOf('identifier')}; use one of them.`,
		};
	}
	if (siren !== '') return checked(siren, 'SIREN', nameOf);
	if (identifier === '' && type === '') return {};
	if (identifier === '') {
		return {
			problem: `It has ${nameOf('identifierType')} ${type}, but ${nameOf('identifier')} is missing.`,
		};
	}
	return checked(identifier, type === '' ? 'SIREN' : type, nameOf);
}

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

function checked(given: string, givenType: string, nameOf: NameOf): Legal | Wrong {
	const type = givenType.toUpperCase();
	if (!isIdentifierType(type)) {
		return { problem: `${nameOf('identifierType')} must be SIREN or BCE, not "${givenType}".` };
	}
	const { pattern, form } = IDENTIFIERS[type];
	const identifier = plain(given, type);
	if (pattern.test(identifier)) return { identifier, identifierType: type };
	return { problem: `The identifier "${given}" is not a ${type}, which has ${form}.` };
}

/** As the service takes it: registers write `732 829 320` and `BE 0123.456.749`, some keyboards wide digits. */
function plain(identifier: string, type: IdentifierType): string {
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
	{ identifier, identifierType }: Legal,
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
