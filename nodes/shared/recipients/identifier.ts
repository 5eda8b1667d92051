export type IdentifierType = 'SIREN' | 'BCE';

/** What a recipient says of its company's identifier; an empty text says nothing. */
interface GivenIdentifier {
	companySiren: string;
	identifier: string;
	identifierType: string;
}

export type Identifier =
	| { identifier?: undefined }
	| { identifier: string; identifierType: IdentifierType };

/** Reads the legal identifier of a company (rules RCPT-03 to RCPT-07). @param nameOf names a field for the user */
export function readIdentifier(
	{ companySiren: siren, identifier, identifierType: type }: GivenIdentifier,
	nameOf: (field: string) => string,
): Identifier | { problem: string } {
	if (siren !== '' && (identifier !== '' || type !== '')) {
		return {
			problem: `It has both ${nameOf('companySiren')} and ${nameOf('identifier')}; use one of them.`,
		};
	}
	if (siren !== '') return checked(siren, 'SIREN', nameOf);
	if (identifier === '') {
		return type === ''
			? {}
			: {
					problem: `It has ${nameOf('identifierType')} ${type}, but ${nameOf('identifier')} is missing.`,
				};
	}
	return checked(identifier, type === '' ? 'SIREN' : type, nameOf);
}

const IDENTIFIERS: Record<IdentifierType, { pattern: RegExp; form: string }> = {
	SIREN: { pattern: /^\d{9}$/, form: 'exactly 9 digits' },
	BCE: {
		pattern: /^[01](\d{9}|\d{3}\.\d{3}\.\d{3})$/,
		form: '10 digits that start with 0 or 1, such as 0123.456.749',
	},
};

function checked(
	given: string,
	givenType: string,
	nameOf: (field: string) => string,
): Identifier | { problem: string } {
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
