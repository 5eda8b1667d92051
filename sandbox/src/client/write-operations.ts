import openapiTS, { astToString } from 'openapi-typescript';
import { controlDocument } from '../control/control-openapi.ts';
import { ENDPOINTS } from '../control/endpoints.ts';

// Run by `npm run openapi`: the client's types and calls, made of the same declarations as the server's.

const calls = ENDPOINTS.map(
	({ id, method, path, query, answer }) =>
		`\t${id}: ${JSON.stringify({
			method: method.toUpperCase(),
			path: `/_sandbox${path}`,
			query: Object.keys(query?.shape ?? {}),
			type: answer.contentType,
		})},`,
);

const types = await openapiTS(controlDocument(ENDPOINTS) as unknown as string);
/** Not the list by path, which says the same again. */
const used = types.filter((node) =>
	['components', 'operations'].includes((node as { name?: { text?: string } }).name?.text ?? ''),
);

process.stdout
	.write(`// Written by \`npm run openapi\`, from the endpoints in src/control. Do not edit.

${astToString(used)}
/** Where each operation is. */
export const CALLS = {
${calls.join('\n')}
} as const;
`);
