// Holds every answer of the control API that a test gets to its description.
import { controlDocument } from '../../../sandbox/src/control/control-openapi.ts';
import { ENDPOINTS } from '../../../sandbox/src/control/endpoints.ts';
import { AnswerSchemas, pointerOf } from './answer-schemas.ts';

type Media = Record<string, { schema: object }>;

interface Described {
	paths: Record<
		string,
		Record<
			string,
			{
				operationId: string;
				parameters?: Array<{ name: string; in: string }>;
				requestBody?: { content: Media };
				responses: Record<string, { content: Media }>;
			}
		>
	>;
}

export const controlDescription = JSON.parse(
	JSON.stringify(controlDocument(ENDPOINTS)),
) as Described;

const schemas = new AnswerSchemas(controlDescription);

// What has more to say comes first: `PUT /customers/{id}/state` before `/customers/{id}/{answer}`.
const TEMPLATES = Object.keys(controlDescription.paths)
	.sort((a, b) => a.split('{').length - b.split('{').length)
	.map((path) => ({
		path,
		pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
	}));

/** @param path below `/_sandbox`, perhaps with a query */
export function checkControlAnswer(
	method: string,
	path: string,
	{ status, json }: { status: number; json: unknown },
): void {
	const verb = method.toLowerCase();
	const asked = `/_sandbox${path.split('?')[0]}`;
	const template = TEMPLATES.find(
		(one) => one.pattern.test(asked) && controlDescription.paths[one.path]?.[verb],
	);
	// Only an unknown endpoint is not described.
	if (!template && status === 404) return;
	const response = template && controlDescription.paths[template.path]?.[verb]?.responses[status];
	const what = `${method} ${path} ${status}`;
	if (!response) throw new Error(`${what} is not described: ${JSON.stringify(json)}`);
	schemas.check(pointerOf(template.path, verb, status), json, what);
}
