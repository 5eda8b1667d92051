import type { IDataObject } from 'n8n-workflow';

export type IdentifierType = 'SIREN' | 'BCE';

/** A recipient as the service wants it: only the fields that are filled (interface, Recipient). */
export interface Recipient {
	email: string;
	firstname?: string;
	lastname?: string;
	company?: string;
	identifier?: string;
	identifierType?: IdentifierType;
}

export type RecipientResult = { recipient: Recipient } | { problem: string };

/**
 * Reads one recipient from a form or from JSON; fields it does not know are left out, so that a row of
 * a spreadsheet can be passed as it is (rules RCPT-01 to RCPT-07).
 *
 * @param needsIdentifier a registered letter to a company cannot do without (rule TYPE-03)
 */
export function readRecipient(raw: unknown, needsIdentifier: boolean): RecipientResult {
	if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
		return { problem: 'It is not an object such as {"email": "…", "company": "…"}.' };
	}
	const read = (name: string) => fieldText((raw as IDataObject)[name]);
	const email = read('email');
	const firstname = read('firstname');
	const lastname = read('lastname');
	const company = read('company');

	if (email === '') return { problem: 'The email is missing.' };
	if (!/^[^\s@]+@[^\s@]+$/.test(email)) return { problem: `"${email}" is not an email address.` };
	if (company === '' && (firstname === '' || lastname === '')) {
		return {
			problem:
				firstname === '' && lastname === ''
					? 'It needs either firstname and lastname (a person) or company (an organization).'
					: `The ${firstname === '' ? 'firstname' : 'lastname'} is missing.`,
		};
	}

	const identity = readIdentity(read);
	if ('problem' in identity) return identity;
	if (needsIdentifier && company !== '' && identity.identifier === undefined) {
		return {
			problem:
				'A registered letter (LRE) to a company needs its identifier: a SIREN of 9 digits or a BCE number of 10.',
		};
	}
	return {
		recipient: {
			email,
			...(firstname !== '' && { firstname }),
			...(lastname !== '' && { lastname }),
			...(company !== '' && { company }),
			...identity,
		},
	};
}

type Identity =
	| { identifier?: undefined }
	| { identifier: string; identifierType: IdentifierType }
	| { problem: string };

function readIdentity(read: (name: string) => string): Identity {
	const siren = read('companySiren');
	const identifier = read('identifier');
	const type = read('identifierType');
	if (siren !== '' && (identifier !== '' || type !== '')) {
		return { problem: 'It has both companySiren and identifier; use one of them.' };
	}
	if (siren !== '') return checkedIdentity(siren, 'SIREN');
	if (identifier === '') {
		return type === ''
			? {}
			: { problem: `It has the identifierType ${type}, but the identifier is missing.` };
	}
	return checkedIdentity(identifier, type === '' ? 'SIREN' : type);
}

const IDENTIFIERS: Record<IdentifierType, { pattern: RegExp; form: string }> = {
	SIREN: { pattern: /^\d{9}$/, form: 'exactly 9 digits' },
	BCE: {
		pattern: /^[01](\d{9}|\d{3}\.\d{3}\.\d{3})$/,
		form: '10 digits that start with 0 or 1, such as 0123.456.789',
	},
};

function checkedIdentity(identifier: string, type: string): Identity {
	if (!isIdentifierType(type)) {
		return { problem: `The identifierType must be SIREN or BCE, not "${type}".` };
	}
	const { pattern, form } = IDENTIFIERS[type];
	if (pattern.test(identifier)) return { identifier, identifierType: type };
	return { problem: `The identifier "${identifier}" is not a ${type}, which has ${form}.` };
}

function isIdentifierType(type: string): type is IdentifierType {
	return Object.hasOwn(IDENTIFIERS, type);
}

function fieldText(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
