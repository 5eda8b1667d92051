import type { IExecuteFunctions } from 'n8n-workflow';

import { readOptions, type Field } from '../shared/fields/field';
import { wholeNumberField } from '../shared/fields/numberField';
import { optionsField } from '../shared/items/operation';
import type { Entry, SendingSettings } from '../shared/sending/entry';
import type { Failure } from '../shared/transport/serviceError';

/** How many letters a run may send. */
export const maxLettersField = maxLettersOption('Each recipient counts as one.');

const resendOptions = { maxLetters: maxLettersOption('Each message ID counts as one.') };

/** The options of a resend. */
export const resendOptionsField = optionsField(resendOptions);

function maxLettersOption(counting: string): Field<number> {
	return wholeNumberField(
		{
			displayName: 'Max Letters',
			name: 'maxLetters',
			default: 100,
			description: `Rejects the whole run if more letters than this would go out. ${counting} In a loop, each iteration counts separately.`,
		},
		0,
	);
}

/** Settings of a run that resends: it is rejected if it would resend more letters than its option allows. */
export function resendSettings<E extends Entry>(lettersOf: (entry: E) => number) {
	return (context: IExecuteFunctions): SendingSettings<E> => {
		const { maxLetters = null } = readOptions(context, 0, resendOptions);
		return {
			concurrency: 1,
			refuse(entries) {
				const total = entries.reduce((sum, entry) => sum + lettersOf(entry), 0);
				return tooManyLetters({ total, byType: {} }, maxLetters);
			},
		};
	};
}

/** How many letters there are, in all and of each type. */
export interface LetterCount {
	total: number;
	byType: Record<string, number>;
}

/** @param letters types and numbers; a type may appear several times */
export function countLetters(letters: Array<[type: string, count: number]>): LetterCount {
	const byType: Record<string, number> = {};
	let total = 0;
	for (const [type, count] of letters) {
		total += count;
		byType[type] = (byType[type] ?? 0) + count;
	}
	return { total, byType };
}

/** Such as "3 LRE, 10 AES", or nothing where the types are not known. */
export function typesInWords({ byType }: LetterCount): string {
	return Object.entries(byType)
		.map(([type, count]) => `${inWords(count)} ${type}`)
		.join(', ');
}

/** Such as "1 letter" or "1,240 letters". */
export function countInWords(count: number, noun: string): string {
	return count === 1 ? `1 ${noun}` : `${inWords(count)} ${noun}s`;
}

function inWords(count: number): string {
	return count.toLocaleString('en');
}

/** Why a run may not send so many letters; null if it may. */
export function tooManyLetters(count: LetterCount, max: number | null): Failure | null {
	const { total, byType } = count;
	if (max === null || total <= max) return null;
	const types = typesInWords(count);
	return {
		message: `Max Letters: ${countInWords(total, 'letter')} would go out${types && ` (${types})`}, but at most ${inWords(max)} may. None of these was sent.`,
		description:
			"Check the input first: it may have more items, or more recipients, than you meant. If the number is right, raise the option 'Max Letters'.",
		code: 'too-many-letters',
		data: { letters: total, byType },
	};
}
