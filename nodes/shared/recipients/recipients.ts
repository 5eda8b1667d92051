import type { IExecuteFunctions } from 'n8n-workflow';

import { namesInWords } from '../fields/describeValue';
import { emailProblem } from '../fields/email';
import {
	parameterOf,
	readField,
	readMembers,
	readText,
	rowsOf,
	type Parameter,
} from '../fields/field';
import { addressKey } from '../../../webhook-receiver/src/core/address';
import { isRecord } from '../../../webhook-receiver/src/core/is-record';
import { invalidItem, ITEM_LABEL, itemProblem, type ItemProblem } from '../fields/invalidItem';
import { identifierWarnings } from './checkDigits';
import { readIdentifier, type Identifier, type IdentifierType } from './identifier';
import {
	jsonField,
	nameInForm,
	readKind,
	recipientsFrom,
	rowDefaults,
	type RecipientKind,
} from './recipientFields';

/** A recipient as the service takes it, with only the fields that are filled (interface, Recipient). */
export interface Recipient {
	email: string;
	firstname?: string;
	lastname?: string;
	company?: string;
	identifier?: string;
	identifierType?: IdentifierType;
}

/** The parameter's name in the editor. */
export const RECIPIENTS = 'Recipients';

/** The display names of the recipient parameters, which differ for an operation that takes one recipient. */
interface ParameterNames {
	form: string;
	json: string;
}

/**
 * Reads and checks the recipients of an item, from the form, from JSON or from the item itself (rules
 * SEND-02, RCPT-01 to RCPT-07, CONS-04), with what the user should look at.
 *
 * @throws InvalidItem with the problems of each wrong recipient, by position if there are several
 */
export function readRecipients(
	context: IExecuteFunctions,
	itemIndex: number,
	needsIdentifier: boolean,
	names: ParameterNames = { form: RECIPIENTS, json: RECIPIENTS },
): { recipients: Recipient[]; warnings: ItemProblem[] } {
	const source = readField(context, itemIndex, recipientsFrom);
	const parameter = { ...names, item: ITEM_LABEL }[source];
	const rows = READ_ROWS[source](context, itemIndex, parameter);
	if (rows.length === 0) throw invalidItem(parameter, 'There is none. Add at least one.');
	const isInForm = source === 'form';
	const results = rows.map((row) => readRecipient(row, needsIdentifier, isInForm));
	const problems = results.flatMap((result, position) => {
		if (!('problems' in result)) return [];
		if (source === 'item') return withFields(result.problems, rows[position].value);
		const place = rows.length > 1 ? `Recipient ${position + 1}: ` : '';
		return result.problems.map((problem) => `${place}${problem}`);
	});
	if (problems.length > 0) throw invalidItem(parameter, ...problems);
	const recipients = results.flatMap((result) => ('recipient' in result ? [result.recipient] : []));
	const warnings = [
		...identifierWarnings(recipients, rows.map(isNumber)),
		...sharedAddresses(recipients).map((message) => itemProblem(parameter, message)),
	];
	return { recipients, warnings };
}

/** Whether the identifier came as a number, which has no zeros in front. */
function isNumber({ value }: Parameter): boolean {
	if (!isRecord(value)) return false;
	return [value.identifier, value.companySiren].some((one) => typeof one === 'number');
}

/** What to say of recipients who have one address: each of them is written to. */
function sharedAddresses(recipients: readonly Recipient[]): string[] {
	const places = new Map<string, number[]>();
	for (const [index, { email }] of recipients.entries()) {
		const key = addressKey(email);
		places.set(key, [...(places.get(key) ?? []), index + 1]);
	}
	return [...places.values()].flatMap((numbers) => {
		if (numbers.length === 1) return [];
		const { email } = recipients[numbers[0] - 1];
		return `Recipients ${numbers.join(', ')} have the same address, ${email}: it is written to ${numbers.length} times.`;
	});
}

/** How the rows are found; `raw` is there only for those that the user fills in. */
type ReadRows = (context: IExecuteFunctions, itemIndex: number, parameter: string) => Parameter[];

const READ_ROWS: Record<'form' | 'item' | 'json', ReadRows> = {
	form: (context, itemIndex) =>
		rowsOf(context, itemIndex, 'recipients', 'recipient') ?? [singleRow(context, itemIndex)],

	// Without an expression: n8n evaluates only about two thousand of them a second.
	item: (context, itemIndex) => [asData(context.getInputData()[itemIndex].json)],

	json: (context, itemIndex, parameter) =>
		readField(context, itemIndex, jsonField(parameter)).map(asData),
};

function asData(value: unknown): Parameter {
	return { value, raw: null };
}

/** Fields of an item that an error lists; a wide row of a spreadsheet has more. */
const MOST_FIELDS = 20;

/** Lists the item's fields if it lacks those of a recipient. */
function withFields([first, ...others]: string[], item: unknown): string[] {
	const fields = Object.keys(item as object);
	const has = (...names: string[]) => names.every((name) => fields.includes(name));
	if (has('email', 'company') || has('email', 'firstname', 'lastname')) return [first, ...others];
	const listed = namesInWords(fields.slice(0, MOST_FIELDS));
	const left = fields.length > MOST_FIELDS ? `, and ${fields.length - MOST_FIELDS} more` : '';
	return [`${first} The fields of the item: ${listed}${left}.`, ...others];
}

/** The form of an operation with one recipient: its fields as one row. */
function singleRow(context: IExecuteFunctions, itemIndex: number): Parameter {
	const fields = Object.entries(rowDefaults).map(
		([name, byDefault]) => [name, parameterOf(context, itemIndex, name, byDefault)] as const,
	);
	const all = (part: keyof Parameter) =>
		Object.fromEntries(fields.map(([name, field]) => [name, field[part]]));
	return { value: all('value'), raw: all('raw') };
}

const MEMBERS = [
	...(['email', 'firstname', 'lastname', 'company'] as const),
	...(['companySiren', 'identifier', 'identifierType'] as const),
];

type Member = (typeof MEMBERS)[number];

const ofEachMember = <T>(value: T) =>
	Object.fromEntries(MEMBERS.map((name) => [name, value])) as Record<Member, T>;

const READERS = { recipientKind: readKind, ...ofEachMember(readText) };

/** What the form shows of a row. */
const SHOWN: Record<RecipientKind, Member[]> = {
	person: ['email', 'firstname', 'lastname'],
	organization: ['email', 'company', 'identifier', 'identifierType'],
};

/** A recipient, or everything wrong with it. */
type RecipientResult = { recipient: Recipient } | { problems: string[] };

/** What a field is called where the user fills it in. */
type NameOf = (field: string) => string;

const inJson: NameOf = (field) => `"${field}"`;

/**
 * Reads one recipient from the form, or from data. In data it ignores fields it does not know, so that
 * a row of a spreadsheet can be passed as it is (rules RCPT-01 to RCPT-07); in the form those that the user
 * does not see, whose values n8n keeps.
 *
 * @param needsIdentifier whether a company must have one, as for a registered letter (rule TYPE-03)
 */
export function readRecipient(
	row: Parameter,
	needsIdentifier: boolean,
	isInForm: boolean,
): RecipientResult {
	if (!isRecord(row.value)) {
		return { problems: ['It is not an object such as {"email": "…", "company": "…"}.'] };
	}
	const nameOf = isInForm ? nameInForm : inJson;
	const readings = readMembers(row, READERS);
	let members: readonly Member[] = MEMBERS;
	if (isInForm) {
		const { recipientKind: kind } = readings;
		if ('problem' in kind) return { problems: [`${nameOf('recipientKind')}: ${kind.problem}`] };
		members = SHOWN[kind.value];
	}
	const texts = ofEachMember('');
	const unreadable: string[] = [];
	for (const name of members) {
		const reading = readings[name];
		if ('value' in reading) texts[name] = reading.value;
		else unreadable.push(`${nameOf(name)}: ${reading.problem}`);
	}
	if (unreadable.length > 0) return { problems: unreadable };
	// In the form it has a value from the start.
	if (isInForm && texts.identifier === '') texts.identifierType = '';
	const { email, firstname, lastname, company } = texts;
	const identity = readIdentifier(texts, nameOf);
	const wrong = email === '' ? 'is missing.' : emailProblem(email);
	const problems = [
		wrong && `${nameOf('email')} ${wrong}`,
		nameProblem(firstname, lastname, company, nameOf),
	];
	if ('problem' in identity) problems.push(identity.problem);
	else if (needsIdentifier && company !== '' && identity.identifier === undefined) {
		problems.push(
			'A registered letter (LRE) to a company needs its identifier: a SIREN of 9 digits or a BCE number of 10.',
		);
	}
	const found = problems.filter((problem) => problem !== null);
	if (found.length > 0) return { problems: found };
	return {
		recipient: {
			email,
			...(firstname !== '' && { firstname }),
			...(lastname !== '' && { lastname }),
			...(company !== '' && { company }),
			...(identity as Identifier),
		},
	};
}

function nameProblem(
	firstname: string,
	lastname: string,
	company: string,
	nameOf: NameOf,
): string | null {
	if (company !== '' || (firstname !== '' && lastname !== '')) return null;
	if (firstname === '' && lastname === '') {
		return `It needs either ${nameOf('firstname')} and ${nameOf('lastname')} of a person, or ${nameOf('company')}.`;
	}
	return `${nameOf(firstname === '' ? 'firstname' : 'lastname')} is missing.`;
}
