import { z } from 'zod/v4';

/** Schemas with a name of their own in a description, and what else that is to say of them. */
export const namedSchemas = z.registry<{ id: string; allOf?: object[] }>();

export function named<S extends z.ZodType>(id: string, schema: S, more: { allOf?: object[] } = {}) {
	namedSchemas.add(schema, { id, ...more });
	return schema;
}

const descriptions = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * Takes anything, since its reader has more to say of what is wrong with it than a schema has. It is
 * described as this schema, and its members are known by it.
 */
export function judgedLater<S extends z.ZodType>(as: S): z.ZodType<unknown, z.input<S>> {
	const anything = z.unknown();
	descriptions.set(anything, as);
	return anything as z.ZodType<unknown, z.input<S>>;
}

/** What a schema is described as, if it is not itself. */
export const describedAs = (schema: z.core.$ZodType): z.ZodType | undefined =>
	descriptions.get(schema);

/** Text, a number or a flag that may be left out: `null`, unless there is another default. */
export const optional = <S extends z.ZodType, D = null>(schema: S, otherwise: D = null as D) =>
	schema.nullish().transform((given) => (given ?? otherwise) as z.output<S> | D);

/** Without what stands around it: a default, a transformation. */
export function inner(schema: z.ZodType): z.ZodType {
	const { def } = schema._zod as unknown as { def: { innerType?: z.ZodType; in?: z.ZodType } };
	const within = describedAs(schema) ?? def.innerType ?? def.in;
	return within === undefined ? schema : inner(within);
}

/** What a list of this schema has, or null if it is of no list. */
export function elementOf(schema: z.ZodType): z.ZodType | null {
	const within = inner(schema);
	return within instanceof z.ZodArray ? (within.element as z.ZodType) : null;
}

/** The members of an object of this schema, or null if it is of no object. */
export function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | null {
	const within = inner(schema);
	return within instanceof z.ZodObject ? within.shape : null;
}
