import type { Files } from '../http/upload.ts';

/** What this needs to know of a JSON Schema. */
export interface Schema {
	type?: string;
	$ref?: string;
	properties?: Record<string, Schema>;
	patternProperties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	allOf?: Schema[];
	[more: string]: unknown;
}

const membersOf = (schema: Schema | undefined): string[] =>
	[schema, ...(schema?.allOf ?? [])].flatMap((part) => Object.keys(part?.properties ?? {}));

/**
 * The fields of a multipart body that means the same as this JSON body (rule SEND-09): a list of
 * objects is one field a member, `recipients[0].email`, or one field with the list as JSON; a list of
 * texts is `ids[0]` or `ids[]`, or the field repeated.
 *
 * @param resolve finds what a `$ref` names
 */
export function formSchema(json: Schema, resolve: (ref: string) => Schema, files?: Files): Schema {
	const lists = Object.entries(json.properties ?? {}).filter(([, { type }]) => type === 'array');
	const properties = { ...json.properties };
	const patternProperties: Record<string, Schema> = {};
	for (const [name, list] of lists) {
		const items = list.items?.$ref === undefined ? list.items : resolve(list.items.$ref);
		const members = membersOf(items);
		if (members.length === 0) {
			patternProperties[`^${name}\\[\\d*\\]$`] = items ?? {};
			continue;
		}
		properties[name] = {
			type: 'string',
			contentMediaType: 'application/json',
			contentSchema: list,
		};
		const member = members.join('|');
		patternProperties[`^${name}\\[\\d+\\](\\.(${member})|\\[(${member})\\])$`] = { type: 'string' };
	}
	// Either way of writing a list will do, so neither name is required.
	const names = lists.map(([name]) => name);
	const required = (json.required ?? []).filter((name) => !names.includes(name));
	if (files?.described) {
		const file = { type: 'string', contentMediaType: 'application/octet-stream' };
		const isOne = files.described === 'one';
		properties[files.field] = isOne ? file : { type: 'array', items: file };
		if (isOne) required.push(files.field);
	}
	const schema: Schema = { ...json, properties, required };
	if (lists.length > 0) schema.patternProperties = patternProperties;
	if (required.length === 0) delete schema.required;
	return schema;
}
