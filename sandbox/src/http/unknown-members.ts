import type { z } from 'zod/v4';
import { elementOf, shapeOf } from '../state/schemas.ts';
import { invalid, type FieldError } from './errors.ts';

/**
 * Rejects members that the interface does not know, for `--strict`. The service ignores them, so a
 * mistyped `filereference` is noticed only when someone looks for the letter.
 *
 * @param schema of the whole body
 * @throws ServiceError 422 `E_VALIDATION_ERROR` that lists each with the rule `unknown`
 */
export function refuseUnknownMembers(schema: z.ZodType, sent: unknown): void {
	const unknown = unknownMembers(schema, sent);
	if (unknown.length > 0) throw invalid(...unknown);
}

function unknownMembers(
	schema: z.ZodType,
	sent: unknown,
	path: readonly string[] = [],
): FieldError[] {
	const element = elementOf(schema);
	if (element && Array.isArray(sent))
		return sent.flatMap((one, index) => unknownMembers(element, one, [...path, String(index)]));
	const shape = shapeOf(schema);
	if (!shape || typeof sent !== 'object' || sent === null) return [];
	return Object.entries(sent).flatMap(([name, value]) => {
		const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
		if (member !== undefined) return unknownMembers(member, value, [...path, name]);
		const field = [...path, name].join('.');
		const message = `${field} is unknown; known: ${Object.keys(shape).join(', ') || 'none'}`;
		return [{ field, rule: 'unknown', message }];
	});
}
