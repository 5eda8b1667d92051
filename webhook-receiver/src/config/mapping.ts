import { readFileSync } from 'node:fs';
import { z } from 'zod/v4';
import { eventKind } from '../core/event-kinds.ts';
import { DEFAULT_MAPPING } from '../core/normalise.ts';
import type { Mapping } from '../core/normalise.ts';
import { text } from './schemas.ts';

const paths = z.array(z.string().min(1)).min(1);
const headers = z.array(z.string().min(1).toLowerCase()).min(1);
const name = z.string().refine((one) => eventKind(one) !== null, 'is not an event of the service');

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
		names: z.record(z.string(), name),
	})
	.partial()
	.strict();

/** MAPPING_FILE: where else to look, before the places the receiver knows (rule EVNT-03). */
export const mappingFile = text
	.transform((file, context) => {
		try {
			return readMapping(file);
		} catch (error) {
			context.addIssue((error as Error).message);
			return z.NEVER;
		}
	})
	.default(DEFAULT_MAPPING);

/** Throws an `Error` in words for operators. */
export function readMapping(file: string): Mapping {
	// Editors may begin a file with a BOM, which counts as white space to `trim` but not to JSON.
	const { data, error } = mappingSchema.safeParse(JSON.parse(readFileSync(file, 'utf8').trim()));
	if (error) {
		throw new Error(
			error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; '),
		);
	}
	const { names = {}, ...more } = data;
	const namedHeaders = [...(more.eventHeaders ?? []), ...(more.eventIdHeaders ?? [])];
	const mapping: Mapping = { ...DEFAULT_MAPPING, names, namedHeaders };
	for (const [key, first] of Object.entries(more)) {
		const list = key as keyof typeof more;
		mapping[list] = [...first, ...DEFAULT_MAPPING[list]];
	}
	return mapping;
}
