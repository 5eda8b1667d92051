import { DateTime } from 'luxon';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { choiceField, readField } from '../shared/fields/field';
import { notice } from '../shared/fields/notice';
import { itemLine, listed, type ItemProblem } from '../shared/fields/invalidItem';
import type { NodeOperation } from '../shared/items/operation';
import { itemError } from '../shared/items/itemError';
import { otherUse } from '../shared/sending/claims';
import { inspectCredential } from '../shared/transport/credential';
import { readLetter, type LetterEntry, type LetterReading } from './letter';
import { letterFields } from './letterFields';
import { countInWords, countLetters, typesInWords } from './maxLetters';
import { readMailingSettings, type MailingSettings } from './send.operation';

const checkNotice = notice(
	'checkNotice',
	'Sends nothing. The service may still reject an address, a customer or a payment when the letters are sent',
	'nodes/send-letter.md#check-letters',
);

const outputField = choiceField({
	displayName: 'Output',
	name: 'output',
	options: [
		{
			name: 'Each Item',
			value: 'items',
			description:
				"The input items, each with a field 'check' that says what would be sent, or what is wrong. Filter on check.ok and pass them on.",
		},
		{
			name: 'Summary',
			value: 'summary',
			description:
				'One item for all: how many letters of each type, what is wrong with which row, and the same as text for the person who approves it',
		},
	],
	default: 'items',
	description: 'What to return',
});

/**
 * Checks every item as Send does, and reports what would go out. Sends nothing, claims no key, and requests
 * at most the list of consents. Invalid items are part of the result, so it never fails because of them.
 */
export const check: NodeOperation = {
	name: 'Check Letters',
	value: 'check',
	description:
		'Report how many letters of each type Send Letter would send, and what is wrong with them. Sends nothing.',
	action: 'Check letters without sending',
	fields: [checkNotice, outputField, ...letterFields],
	execute: checkLetters,
};

/** What the check says about one item; the field `check` of its output. */
interface LetterCheck {
	ok: boolean;
	/** `duplicate`: another item has its Send Once Key and sends the letter for both. */
	result: 'ok' | 'duplicate' | 'problem';
	type: string | null;
	/** Letters that would go out for this item: one for each recipient. */
	letters: number;
	/** The number of the request it would be part of, from 1. */
	request: number | null;
	/** For a duplicate: the row whose letter it shares, from 1. */
	sharesLetterOfRow: number | null;
	/** When it would go out, in the time zone of the workflow; null for now. */
	scheduledAt: string | null;
	problems: ItemProblem[];
	/** What may be wrong, but does not prevent sending. */
	warnings: ItemProblem[];
}

/** What the whole run would do. */
interface Totals {
	items: number;
	letters: number;
	byType: Record<string, number>;
	requests: number;
	duplicates: number;
	/** Items that have problems. */
	problems: number;
	/** Items that have warnings. */
	warnings: number;
	maxLetters: number | null;
	tooMany: boolean;
}

async function checkLetters(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = context.getInputData();
	const output = readOutput(context);
	const readings: LetterReading[] = [];
	const credential = await inspectCredential(context);
	for (const [index] of input.entries()) {
		readings.push(await readLetter(context, index, credential));
	}
	const { groups: together, maxLetters } = settingsOf(context);
	const sharing = sharedLetters(readings);
	const entries = readings.flatMap(({ entry }) =>
		entry === null || sharing.has(entry.itemIndex) ? [] : [entry],
	);
	const plan = { groups: together?.(entries) ?? entries.map((entry) => [entry]), sharing };
	const timezone = context.getTimezone();
	const checks = judge(readings, plan, timezone);
	const totals = sumUp(checks, plan, maxLetters);
	const ok = totals.problems === 0 && !totals.tooMany;
	const text = describeTotals(checks, totals, timezone);
	context.addExecutionHints({
		message: text,
		type: ok && totals.warnings === 0 ? 'info' : 'warning',
		location: 'outputPane',
	});
	if (output === 'summary') {
		const problemList = withRows(checks, 'problems');
		const warningList = withRows(checks, 'warnings');
		const json = { ok, text, ...totals, problemList, warningList };
		return [{ json, pairedItem: input.map((_, item) => ({ item })) }];
	}
	return input.map(({ json, binary }, item) => ({
		json: { ...json, check: checks[item] },
		...(binary && { binary }),
		pairedItem: { item },
	}));
}

/** @throws NodeOperationError, since with another choice there is nothing right to return */
function readOutput(context: IExecuteFunctions) {
	try {
		return readField(context, 0, outputField);
	} catch (error) {
		throw itemError(context, error);
	}
}

/** Which letters would go out in which request, and which not because an earlier one has their key. */
interface Plan {
	groups: LetterEntry[][];
	/** By item, the earlier item whose letter it shares. */
	sharing: Map<number, number>;
}

/** Items with the key of an earlier one share its letter. If theirs is another letter, that is a problem of theirs. */
function sharedLetters(readings: LetterReading[]): Plan['sharing'] {
	const first = new Map<string, LetterEntry>();
	const sharing: Plan['sharing'] = new Map();
	for (const reading of readings) {
		const { entry } = reading;
		if (!entry?.once) continue;
		const { id, usedFor } = entry.once;
		const before = first.get(id);
		if (!before) {
			first.set(id, entry);
		} else if (otherUse(usedFor, before.once?.usedFor ?? null, null)) {
			reading.entry = null;
			const message = `Row ${before.itemIndex + 1} has this key for another letter. A key stands for one letter.`;
			reading.problems.push({ parameter: 'Send Once Key', message });
		} else sharing.set(entry.itemIndex, before.itemIndex);
	}
	return sharing;
}

function settingsOf(context: IExecuteFunctions): Pick<MailingSettings, 'groups' | 'maxLetters'> {
	try {
		return readMailingSettings(context);
	} catch {
		// Wrong options of the first item are among its problems.
		return { maxLetters: null };
	}
}

function judge(
	readings: LetterReading[],
	{ groups, sharing }: Plan,
	timezone: string,
): LetterCheck[] {
	const requests = new Map(
		groups.flatMap((group, index) => group.map(({ itemIndex }) => [itemIndex, index + 1])),
	);
	return readings.map(({ type, entry, problems, warnings }, itemIndex) => {
		const leader = sharing.get(itemIndex) ?? null;
		const result = entry === null ? 'problem' : leader === null ? 'ok' : 'duplicate';
		return {
			ok: result === 'ok',
			result,
			type,
			letters: result === 'ok' && entry ? entry.letter.recipients.length : 0,
			request: requests.get(itemIndex) ?? null,
			sharesLetterOfRow: leader === null ? null : leader + 1,
			scheduledAt: inZone(entry?.letter.fields.scheduledAt, timezone),
			problems,
			warnings,
		};
	});
}

function sumUp(checks: LetterCheck[], { groups }: Plan, maxLetters: number | null): Totals {
	const { total, byType } = countLetters(
		checks.filter(({ ok }) => ok).map(({ type, letters }) => [String(type), letters]),
	);
	const having = (result: LetterCheck['result']) =>
		checks.filter((one) => one.result === result).length;
	return {
		items: checks.length,
		letters: total,
		byType,
		requests: groups.length,
		duplicates: having('duplicate'),
		problems: having('problem'),
		warnings: checks.filter(({ warnings }) => warnings.length > 0).length,
		maxLetters,
		tooMany: maxLetters !== null && total > maxLetters,
	};
}

/** All that was found in the items, each with its row, from 1. */
function withRows(checks: LetterCheck[], kind: 'problems' | 'warnings') {
	return checks.flatMap((one, item) => one[kind].map((found) => ({ row: item + 1, ...found })));
}

/** Most problems, or warnings, in the text; the list next to it has all of them. */
const MOST_LISTED = 10;

function inZone(at: string | undefined, zone: string): string | null {
	if (at === undefined) return null;
	return DateTime.fromISO(at, { zone }).toISO({ suppressMilliseconds: true });
}

/** The first and the last of them, and which time zone they are in. */
function describeTimes(checks: LetterCheck[], timezone: string): string {
	const times = checks
		.flatMap(({ ok, scheduledAt }) => (ok && scheduledAt !== null ? [scheduledAt] : []))
		.map((at) => DateTime.fromISO(at, { zone: timezone }).toFormat('yyyy-MM-dd HH:mm'))
		.sort();
	if (times.length === 0) return '';
	const span = [...new Set([times[0], times[times.length - 1]])].join(' to ');
	return `${countInWords(times.length, 'row')} scheduled for ${span}, in the time zone ${timezone}.`;
}

function describeTotals(checks: LetterCheck[], totals: Totals, timezone: string): string {
	const { letters, requests, duplicates, problems, warnings, items, maxLetters, tooMany } = totals;
	const types = typesInWords({ total: letters, byType: totals.byType });
	const having = (count: number, what: string) =>
		`${count} of ${countInWords(items, 'row')} ${count === 1 ? 'has' : 'have'} ${what}`;
	const lines = (kind: 'problems' | 'warnings') =>
		listed(
			withRows(checks, kind).map((found) => itemLine(found.row - 1, found)),
			MOST_LISTED,
		);
	const sentences = [
		letters === 0
			? 'No letter would go out.'
			: `${countInWords(letters, 'letter')} would go out in ${countInWords(requests, 'request')}: ${types}.`,
		describeTimes(checks, timezone),
		tooMany &&
			`That is more than 'Max Letters' (${maxLetters}): Send Letter would reject all of them.`,
		duplicates > 0 &&
			`Not counted: ${countInWords(duplicates, 'row')} with the 'Send Once Key' of an earlier row.`,
		problems > 0 &&
			`${having(problems, 'problems')}, which stop Send Letter unless its setting 'On Error' is to continue:`,
	];
	return [
		sentences.filter(Boolean).join(' '),
		...lines('problems'),
		...(warnings > 0 ? [`${having(warnings, 'warnings')}, which do not stop Send Letter:`] : []),
		...lines('warnings'),
	].join('\n');
}
