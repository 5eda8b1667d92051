import { z } from 'zod/v4';

/** Schemas with a name of their own in the control API's description. */
export const namedSchemas = z.registry<{ id: string }>();

export function named<S extends z.ZodType>(id: string, schema: S): S {
	namedSchemas.add(schema, { id });
	return schema;
}
