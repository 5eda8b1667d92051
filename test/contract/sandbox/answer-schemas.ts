import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Checks values against the schemas of a description, in the strict reading of JSON Schema 2020-12. */
export class AnswerSchemas {
	readonly #ajv = addFormats.default(new Ajv2020({ allErrors: true, strict: true }));
	readonly #compiled = new Map<string, ValidateFunction>();

	constructor(description: object) {
		// The document around the schemas, which is none itself.
		this.#ajv.addVocabulary(Object.keys(description));
		this.#ajv.addSchema(description, 'described');
	}

	/** @throws Error if the value is not as the schema at the JSON pointer, a URI fragment, says */
	check(pointer: string, value: unknown, what: string): void {
		const validate =
			this.#compiled.get(pointer) ?? this.#ajv.compile({ $ref: `described${pointer}` });
		this.#compiled.set(pointer, validate);
		if (validate(value)) return;
		const why = this.#ajv.errorsText(validate.errors);
		throw new Error(`${what} is not as described: ${why}\n${JSON.stringify(value)}`);
	}
}

/** Where the schema of a JSON answer stands. */
export function pointerOf(path: string, method: string, status: number): string {
	const escaped = encodeURIComponent(path.replaceAll('~', '~0').replaceAll('/', '~1'));
	return `#/paths/${escaped}/${method}/responses/${status}/content/application~1json/schema`;
}
