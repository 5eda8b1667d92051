// Holds every answer of the sandbox that a test gets to the committed description of the interface.
import type { IncomingHttpHeaders } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../n8n/folders.ts';
import { AnswerSchemas, pointerOf } from './answer-schemas.ts';

interface Described {
	paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
}

export const description = JSON.parse(
	readFileSync(join(root, 'sandbox/openapi.json'), 'utf8'),
) as Described;

const schemas = new AnswerSchemas(description);

const TEMPLATES = Object.keys(description.paths).map((path) => ({
	path,
	pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** What signed links, logos and contacts lead to, and the sandbox's own: none of it is the interface. */
const BESIDE =
	/^\/(_sandbox|evidences|attachments|logos)\/|^\/(consents|customers|messages)\/[^/]+\/reply$/;

export interface CheckedAnswer {
	status: number;
	headers: IncomingHttpHeaders;
	bytes: Buffer;
	json: unknown;
}

export function checkAnswer(method: string, path: string, answer: CheckedAnswer): void {
	const { status, headers, bytes, json } = answer;
	const verb = method.toLowerCase();
	// Nor is what browsers ask before they ask.
	if (BESIDE.test(path) || headers['x-sandbox-fault'] || verb === 'options') return;
	const offered = TEMPLATES.filter((one) => description.paths[one.path]?.[verb]);
	// The exact path first: POST /messages/resend is about no single message.
	const template =
		offered.find((one) => one.path === path) ?? offered.find((one) => one.pattern.test(path));
	const operation = template && description.paths[template.path]?.[verb];
	// Headers that were too large were read by nobody.
	if (status === 431 || !template || !operation)
		return schemas.check('#/components/schemas/Error', json, `${method} ${path}`);
	const what = `${method} ${template.path} ${status}`;
	const response = operation.responses[status];
	if (!response) throw new Error(`${what} is not described: ${bytes.toString().slice(0, 300)}`);
	if (!response.content) {
		if (bytes.length > 0) throw new Error(`${what} has a body`);
		return;
	}
	if (!headers['content-type']?.startsWith('application/json'))
		throw new Error(`${what} is ${headers['content-type']}, not JSON`);
	schemas.check(pointerOf(template.path, verb, status), json, what);
}
