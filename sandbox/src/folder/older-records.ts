import { createHash } from 'node:crypto';
import { z } from 'zod/v4';
import { inner } from '../http/unknown-members.ts';
import { RECORDS } from '../state/model.ts';

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
	const { def } = inner(schema)._zod;
	if (def.type === 'array' && Array.isArray(value)) {
		const { element } = def as z.core.$ZodArrayDef<z.ZodType>;
		return value.map((one) => completed(element, one));
	}
	if (def.type !== 'object' || typeof value !== 'object' || value === null) return value;
	const { shape } = def as z.core.$ZodObjectDef<Record<string, z.ZodType>>;
	const members = { ...value } as Record<string, unknown>;
	for (const [name, member] of Object.entries(shape)) {
		if (name in members) members[name] = completed(member, members[name]);
		else if (member.safeParse(null).success) members[name] = null;
	}
	return members;
}
