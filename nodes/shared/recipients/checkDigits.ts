import { itemProblem, type ItemProblem } from '../fields/invalidItem';
import type { IdentifierType } from './identifier';

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

const CHECKS = {
	SIREN: { fits: isLuhn, digits: 'last digit is not the check digit of a SIREN' },
	BCE: { fits: isMod97, digits: 'last two digits are not the check digits of a BCE number' },
};

/** A recipient, as far as this is concerned. */
interface Identified {
	email: string;
	company?: string;
	identifier?: string;
	identifierType?: IdentifierType;
}

/**
 * The identifiers that are probably mistyped, and those of 9 digits that came as a number and may have lost
 * the zero of a BCE number, whatever their check digit. The service checks only their format and would write
 * to whatever company has that number, so this warns without stopping anything (rules RCPT-05, RCPT-06).
 *
 * @param areNumbers for each recipient, whether its identifier came as a number
 */
export function identifierWarnings(
	recipients: readonly Identified[],
	areNumbers: readonly boolean[],
): ItemProblem[] {
	return recipients.flatMap(({ identifier, identifierType, company, email }, index) => {
		if (identifier === undefined || identifierType === undefined) return [];
		const who = `"${identifier}" (${company ?? email})`;
		const { fits, digits } = CHECKS[identifierType];
		const messages = [
			!fits(identifier) && `${who} is probably mistyped: its ${digits}.`,
			areNumbers[index] &&
				identifier.length === 9 &&
				`${who} came as a number, and a number has no zero in front. If it is the BCE number 0${identifier}, format the column as text.`,
		];
		return messages
			.filter((message) => typeof message === 'string')
			.map((message) => itemProblem('Identifier', message));
	});
}

function doubled(digit: number): number {
	return digit < 5 ? digit * 2 : digit * 2 - 9;
}
