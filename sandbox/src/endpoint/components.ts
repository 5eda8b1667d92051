import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod/v4';
import { describedAs, namedSchemas } from '../state/schemas.ts';

type Json = z.core.JSONSchema.BaseSchema;

const COMPONENTS = '#/components/schemas/';

/** JSON schemas of a description; named ones are written once and referenced. */
export class Components {
	#named: Record<string, object> = {};

	/** Input may omit what has a default; output always has it. */
	add(schema: z.ZodType, io: 'input' | 'output'): object {
		const { $defs = {}, ...converted } = this.#converted(schema, io);
		delete converted.$schema;
		for (const [id, part] of Object.entries($defs)) this.#name(id, part);
		const id = namedSchemas.get(schema)?.id;
		// One that has a name is among the parts already, and `converted` leads to it.
		if (id === undefined || '$ref' in converted) return converted;
		this.#name(id, converted);
		return { $ref: COMPONENTS + id };
	}

	/** What a `$ref` of these names. */
	resolve(ref: string): object {
		return this.#named[ref.slice(COMPONENTS.length)]!;
	}

	all(): Record<string, object> {
		return Object.fromEntries(Object.entries(this.#named).sort(([a], [b]) => (a < b ? -1 : 1)));
	}

	#name(id: string, schema: object): void {
		const known = this.#named[id];
		if (known && !isDeepStrictEqual(known, schema))
			throw new Error(`${id} names two schemas: give what is taken and what is given a name each`);
		this.#named[id] = schema;
	}

	#converted(schema: z.ZodType, io: 'input' | 'output'): Json {
		const converted = z.toJSONSchema(schema, {
			io,
			metadata: namedSchemas,
			unrepresentable: 'any',
			override: ({ zodSchema, jsonSchema }) => {
				const as = describedAs(zodSchema);
				if (as) Object.assign(jsonSchema, this.add(as, io));
				// A named format implies its pattern, and no number here comes near the maximum.
				if (jsonSchema.format) delete jsonSchema.pattern;
				if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
				if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
				delete jsonSchema.id;
			},
		});
		const written = JSON.stringify(converted).replaceAll('#/$defs/', COMPONENTS);
		return JSON.parse(written) as Json;
	}
}
