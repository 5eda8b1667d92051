import type { z } from 'zod/v4';
import { invalid, type FieldError } from './errors.ts';

/** Returns the validated input, or throws one error that lists everything wrong with it. */
export function checked<T>(schema: z.ZodType<T>, sent: unknown): T {
	const parsed = schema.safeParse(sent);
	if (parsed.success) return parsed.data;
	throw invalid(...fieldErrors(parsed.error, sent));
}

/** Everything wrong, in words of our own: a library's are about its types. */
export const fieldErrors = ({ issues }: z.core.$ZodError, sent: unknown): FieldError[] =>
	issues.flatMap((issue) => errorsOf(issue, sent, []));

type Issue = z.core.$ZodIssue;

function errorsOf(issue: Issue, sent: unknown, above: PropertyKey[]): FieldError[] {
	const path = [...above, ...issue.path];
	if (issue.code === 'invalid_union' && issue.errors.length > 0)
		return nearest(issue.errors).flatMap((one) => errorsOf(one, sent, path));
	if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknown([...path, key]));
	if (issue.code === 'invalid_key') return [unknown(path)];
	const field = path.join('.');
	if (valueAt(sent, path) === undefined)
		return [{ field, rule: 'required', message: `${field} is required` }];
	const [rule, words] = wordsFor(issue);
	return [{ field, rule, message: field === '' ? words : `${field}: ${words}` }];
}

const unknown = (path: PropertyKey[]): FieldError => {
	const field = path.join('.');
	return { field, rule: 'unknown', message: `${field} is unknown` };
};

/** Of the shapes something may have, the one it was most likely meant to have. */
const nearest = (alternatives: Issue[][]): Issue[] =>
	alternatives.reduce((least, one) => (one.length < least.length ? one : least));

function wordsFor(issue: Issue): [rule: string, words: string] {
	switch (issue.code) {
		case 'custom':
			return [String(issue.params?.rule ?? 'type'), issue.message];
		case 'invalid_type':
			return ['type', `must be ${TYPES[issue.expected] ?? issue.expected}`];
		case 'invalid_value':
			return [
				'enum',
				`must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`,
			];
		case 'invalid_format':
			return (
				FORMATS[issue.format] ?? [issue.format === 'regex' ? 'regex' : 'format', issue.message]
			);
		case 'too_small':
			if (issue.exact) return fixedLength(issue.minimum);
			return [isAmount(issue) ? 'min' : 'minLength', limit('at least', issue.minimum, issue)];
		case 'too_big':
			if (issue.exact) return fixedLength(issue.maximum);
			return [isAmount(issue) ? 'max' : 'maxLength', limit('at most', issue.maximum, issue)];
		default:
			return ['enum', 'is none of what it can be'];
	}
}

const TYPES: Partial<Record<string, string>> = {
	string: 'text',
	number: 'a number',
	int: 'a whole number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
	record: 'an object',
};

/** Other formats are regular expressions, which say themselves what they take. */
const FORMATS: Partial<Record<string, [rule: string, words: string]>> = {
	uuid: ['format', 'must be a UUID'],
	url: ['format', 'must be a URL'],
	datetime: ['dateTime', 'must be an ISO 8601 date-time with seconds and a timezone offset'],
};

const fixedLength = (length: number | bigint): [rule: string, words: string] => [
	'fixedLength',
	`must have exactly ${length} characters`,
];

const UNITS: Partial<Record<string, string>> = { string: ' characters', array: ' entries' };

const isAmount = ({ origin }: { origin: string }): boolean => UNITS[origin] === undefined;

const limit = (bound: string, number: number | bigint, { origin }: { origin: string }): string =>
	`must ${isAmount({ origin }) ? 'be' : 'have'} ${bound} ${number}${UNITS[origin] ?? ''}`;

const valueAt = (sent: unknown, path: PropertyKey[]): unknown =>
	path.reduce<unknown>((inside, key) => {
		const isObject = typeof inside === 'object' && inside !== null;
		return isObject && Object.hasOwn(inside, key)
			? (inside as Record<PropertyKey, unknown>)[key]
			: undefined;
	}, sent);
