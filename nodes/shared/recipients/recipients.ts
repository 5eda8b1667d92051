import type { IExecuteFunctions } from 'n8n-workflow';

import { addressKey } from '../../../webhook-receiver/src/core/address';
import { namesInWords } from '../fields/describeValue';
import { FieldReader, readField, rowOf, rowsOf, type Field, type Source } from '../fields/field';
import {
	invalidItem,
	ITEM_LABEL,
	itemProblem,
	type ItemProblem,
	problemLine,
} from '../fields/invalidItem';
import { identifierWarnings, readIdentifier, type IdentifierType } from './identifier';
import {
	dataFields,
	memberFields,
	jsonField,
	kindField,
	recipientsFrom,
	shownFields,
	type MemberFields,
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
	const from = readField(context, itemIndex, recipientsFrom);
	const parameter = { ...names, item: ITEM_LABEL }[from];
	const rows =
		from === 'form'
			? rowsOf(context, itemIndex, 'recipients', 'recipient')
			: readData(context, itemIndex, from, parameter).map((one) => rowOf(one));
	if (rows.length === 0) throw invalidItem(parameter, 'There is none. Add at least one.');
	const recipients: Recipient[] = [];
	const warnings: ItemProblem[] = [];
	const problems: string[] = [];
	for (const [position, row] of rows.entries()) {
		const result = readRecipient(context, row, needsIdentifier, from === 'form');
		if ('recipient' in result) {
			recipients.push(result.recipient);
			warnings.push(...result.warnings);
			continue;
		}
		const place = rows.length > 1 ? `Recipient ${position + 1}: ` : '';
		problems.push(...result.problems.map((problem) => place + problemLine(problem)));
	}
	if (problems.length > 0 && from === 'item') problems[0] += fieldsOf(context, itemIndex);
	if (problems.length > 0) throw invalidItem(parameter, ...problems);
	if (recipients.length > 1) {
		const shared = sharedAddresses(recipients);
		warnings.push(...shared.map((message) => itemProblem(parameter, message)));
	}
	return { recipients, warnings };
}

function readData(
	context: IExecuteFunctions,
	itemIndex: number,
	from: 'item' | 'json',
	parameter: string,
): unknown[] {
	if (from === 'json') return readField(context, itemIndex, jsonField(parameter));
	// Without an expression: n8n evaluates only about two thousand of them a second.
	return [context.getInputData()[itemIndex].json];
}

/** Fields of an item that an error lists; a wide row of a spreadsheet has more. */
const MOST_FIELDS = 20;

/** Lists the item's fields if it lacks those of a recipient. */
function fieldsOf(context: IExecuteFunctions, itemIndex: number): string {
	const fields = Object.keys(context.getInputData()[itemIndex].json);
	const has = (...names: string[]) => names.every((name) => fields.includes(name));
	if (has('email', 'company') || has('email', 'firstname', 'lastname')) return '';
	const listed = namesInWords(fields.slice(0, MOST_FIELDS));
	const left = fields.length > MOST_FIELDS ? `, and ${fields.length - MOST_FIELDS} more` : '';
	return ` The fields of the item: ${listed}${left}.`;
}

/** A recipient and what to check of it, or everything that is wrong with it. */
type RecipientResult =
	| { recipient: Recipient; warnings: ItemProblem[] }
	| { problems: ItemProblem[] };

/**
 * Reads one recipient from the form, or from data. In data it ignores fields it does not know, so that
 * a row of a spreadsheet can be passed as it is (rules RCPT-01 to RCPT-07); in the form those that the user
 * does not see, whose values n8n keeps.
 *
 * @param needsIdentifier whether a company must have one, as for a registered letter (rule TYPE-03)
 */
function readRecipient(
	context: IExecuteFunctions,
	source: Source | null,
	needsIdentifier: boolean,
	isInForm: boolean,
): RecipientResult {
	if (source === null) return { problems: [itemProblem(ITEM_LABEL, NO_OBJECT)] };
	const row = new FieldReader(context, source);
	let shown: Record<string, Field<string>> = dataFields;
	if (isInForm) {
		const { kind } = row.fields({ kind: kindField });
		if (kind === null) return { problems: row.problems };
		shown = shownFields[kind];
	}
	const texts = row.fields(shown);
	const { email, firstname = '', lastname = '', company = '' } = texts;
	const { companySiren = '', identifier = '', identifierType = '' } = texts;
	const named = isInForm ? memberFields : dataFields;
	const nameOf = (member: keyof MemberFields) => named[member].displayName;
	if (company === '' && firstname === '' && lastname === '') {
		row.complain(
			ITEM_LABEL,
			`It needs either ${nameOf('firstname')} and ${nameOf('lastname')} of a person, or ${nameOf('company')}.`,
		);
	} else if (company === '') {
		if (firstname === '') row.complain(nameOf('firstname'), MISSING);
		if (lastname === '') row.complain(nameOf('lastname'), MISSING);
	}
	// In the form it has a value from the start.
	const type = isInForm && identifier === '' ? '' : identifierType;
	const isRequired = needsIdentifier && Boolean(company);
	const given = { companySiren, identifier, identifierType: type };
	const hasNone = !('identifier' in shown);
	const identity = hasNone ? null : readIdentifier(row, given, isRequired, nameOf);
	if (row.problems.length > 0 || email === null) return { problems: row.problems };
	const recipient = {
		email,
		...(firstname && { firstname }),
		...(lastname && { lastname }),
		...(company && { company }),
		...identity,
	};
	if (identity === null) return { recipient, warnings: [] };
	const isNumber = [source('identifier', ''), source('companySiren', '')].some(
		({ value }) => typeof value === 'number',
	);
	const warnings = identifierWarnings(identity, company || email, isNumber);
	return { recipient, warnings };
}

const NO_OBJECT = 'It is not an object such as {"email": "…", "company": "…"}.';

const MISSING = 'It is missing.';

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
