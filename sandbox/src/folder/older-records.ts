import { createHash } from 'node:crypto';
import { z } from 'zod/v4';
import { RECORDS } from '../state/model.ts';
import { elementOf, shapeOf } from '../state/schemas.ts';

/**
 * A number for the form of all records, which changes with any member: so nobody has to think of it when
 * one is added. It fits SQLite's `user_version`, and is not 0, which means none.
 */
export function formOfRecords(): number {
	const form = z.toJSONSchema(z.object(RECORDS), { io: 'input', unrepresentable: 'any' });
	const hash = createHash('sha256').update(JSON.stringify(form)).digest();
	return (hash.readUInt32BE() >>> 1) | 1;
}

/** A record of an older sandbox as one of today, or null if it can't be one. */
export function broughtUpToDate(kind: keyof typeof RECORDS, record: unknown) {
	const filled = completed(RECORDS[kind], record);
	return RECORDS[kind].safeParse(filled).success ? (filled as { id: string }) : null;
}

/** With null for each member that came since and may be null. */
function completed(schema: z.ZodType, value: unknown): unknown {
	const element = elementOf(schema);
	if (element && Array.isArray(value)) return value.map((one) => completed(element, one));
	const shape = shapeOf(schema);
	if (!shape || typeof value !== 'object' || value === null) return value;
	const members = { ...value } as Record<string, unknown>;
	for (const [name, member] of Object.entries(shape)) {
		if (name in members) members[name] = completed(member, members[name]);
		else if (member.safeParse(null).success) members[name] = null;
	}
	return members;
}
