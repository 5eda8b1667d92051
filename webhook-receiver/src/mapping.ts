import { readFileSync } from 'node:fs';
import { z } from 'zod/v4';
import { eventKind } from './event-kinds.ts';
import { DEFAULT_READING } from './normalise.ts';
import type { Reading } from './normalise.ts';

const paths = z.array(z.string().min(1)).min(1);
const headers = z.array(z.string().min(1).toLowerCase()).min(1);

/** A mapping file: where else to look, tried before the places the receiver knows (rule EVNT-03). */
const mappingSchema = z
	.object({
		wrappers: paths,
		event: paths,
		eventHeaders: headers,
		eventId: paths,
		eventIdHeaders: headers,
		messageId: paths,
		messageType: paths,
		time: paths,
		fileReference: paths,
		customerReference: paths,
		names: z.record(
			z.string(),
			z.string().refine((name) => eventKind(name) !== null, 'is not an event of the service'),
		),
	})
	.partial()
	.strict();

/** Reads a mapping file; throws an `Error` in words for operators. */
export function readMapping(file: string): Reading {
	const mapping = mappingSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')));
	if (mapping.success) return withMapping(mapping.data);
	const faults = mapping.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
	throw new Error(faults.map((fault) => fault.trim()).join('; '));
}

function withMapping({ names = {}, ...more }: z.infer<typeof mappingSchema>): Reading {
	const reading: Reading = { ...DEFAULT_READING, names };
	for (const [key, first] of Object.entries(more)) {
		const list = key as keyof typeof more;
		reading[list] = [...first, ...DEFAULT_READING[list]];
	}
	return reading;
}
