import openapiTS, { astToString } from 'openapi-typescript';
import { controlDocument } from '../control/control-openapi.ts';
import type { Endpoint } from '../control/endpoint.ts';
import { ENDPOINTS } from '../control/endpoints.ts';

// Run by `npm run openapi`: the client's types and calls, made of the same declarations as the server's.

const calls = ENDPOINTS.map(
	({ id, method, path, query, answer }) =>
		`\t${id}: ${JSON.stringify({
			method: method.toUpperCase(),
			path: `/_sandbox${path}`,
			query: Object.keys(query?.shape ?? {}),
			answers: kindOf(answer),
		})},`,
);

const types = await openapiTS(controlDocument(ENDPOINTS) as unknown as string);

process.stdout
	.write(`// Written by \`npm run openapi\`, from the endpoints in src/control. Do not edit.

${astToString(types)}
/** Where each operation is. */
export const CALLS = {
${calls.join('\n')}
} as const;
`);

function kindOf({ contentType }: Endpoint['answer']): 'json' | 'text' | 'events' {
	if (contentType === 'application/json') return 'json';
	return contentType === 'text/event-stream' ? 'events' : 'text';
}
