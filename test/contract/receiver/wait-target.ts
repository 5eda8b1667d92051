// Stands where n8n's resume URL would be: records what comes, answers as it is told.
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSignatureValid } from '../../../nodes/shared/signature.ts';
import { resumeSchema } from '../../../webhook-receiver/src/wait/wait-contract.ts';
import type { Resume } from '../../../webhook-receiver/src/wait/wait-contract.ts';
import { SUBSCRIPTION_SECRET, later } from './harness.ts';

/** Status and text of an answer; `'hang'` never comes. */
export type ResumeReply = { status: number; text?: string } | 'hang';

export interface Resumed {
	url: string;
	headers: IncomingHttpHeaders;
	text: string;
	resume: Resume;
}

/** n8n's own words for the answers that matter. */
export const DONE: ResumeReply = { status: 200, text: '{"resumed":true}' };
export const RUNNING: ResumeReply = {
	status: 409,
	text: '{"code":409,"message":"The execution \\"7\\" is running already."}',
};
export const FINISHED: ResumeReply = {
	status: 409,
	text: '{"code":409,"message":"The execution \\"7 has finished already."}',
};

export async function resumeTarget(reply: (index: number) => ResumeReply = () => DONE) {
	const received: Resumed[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const text = Buffer.concat(chunks).toString();
			const resume = resumeSchema.parse(JSON.parse(text));
			const record = { url: request.url ?? '', headers: request.headers, text, resume };
			const answer = reply(received.push(record) - 1);
			if (answer === 'hang') return;
			response.writeHead(answer.status, { 'content-type': 'application/json' });
			response.end(answer.text ?? '{}');
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	later(() => {
		server.closeAllConnections();
		return new Promise<void>((resolve) => server.close(() => resolve()));
	});
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/webhook-waiting/7?signature=token-of-n8n`,
		received,
		/** Whether a request is signed as the node checks it. */
		isSigned({ headers, text }: Resumed, now: number, secret = SUBSCRIPTION_SECRET) {
			return isSignatureValid(secret, headers, Buffer.from(text), now);
		},
	};
}
