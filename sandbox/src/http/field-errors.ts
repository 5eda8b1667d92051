import type { z } from 'zod/v4';
import { invalid, type FieldError } from './errors.ts';

/** Returns the validated input, or throws one error that lists everything wrong with it. */
export function checked<T>(schema: z.ZodType<T>, sent: unknown): T {
	const parsed = schema.safeParse(sent);
	if (parsed.success) return parsed.data;
	throw invalid(...fieldErrors(parsed.error, sent));
}

export function fieldErrors(error: z.ZodError, sent: unknown): FieldError[] {
	return error.issues.map((issue) => {
		const field = issue.path.join('.');
		if (valueAt(sent, issue.path) === undefined)
			return { field, rule: 'required', message: `${field} is required` };
		return { field, rule: ruleOf(issue), message: `${field}: ${issue.message}` };
	});
}

function ruleOf(issue: z.core.$ZodIssue): string {
	if (issue.code === 'custom' && typeof issue.params?.rule === 'string') return issue.params.rule;
	return RULES[issue.code] ?? 'type';
}

const RULES: Partial<Record<string, string>> = {
	invalid_value: 'enum',
	invalid_format: 'format',
	too_small: 'minLength',
	too_big: 'maxLength',
};

const valueAt = (sent: unknown, path: PropertyKey[]): unknown =>
	path.reduce<unknown>((inside, key) => {
		const isObject = typeof inside === 'object' && inside !== null;
		return isObject && Object.hasOwn(inside, key)
			? (inside as Record<PropertyKey, unknown>)[key]
			: undefined;
	}, sent);
