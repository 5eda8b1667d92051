import type { IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { clientTls } from '../../credentials/clientTls';
import { withEitherAuthority } from '../shared/transport/authorities';
import { usableCredential } from '../shared/transport/credential';
import { transferTimeout } from '../shared/transport/service';

/** An answer whose body is still on its way. */
export type LinkAnswer = IN8nHttpFullResponse & { body: Body };

type Body = Exclude<Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0], Uint8Array>;

/**
 * Asks for what a link leads to, and ends the connection once `use` is done with the answer, or does not get
 * on. A private authority of the credential is trusted beside the public ones.
 *
 * @throws what n8n's request helper throws; ETIMEDOUT if the body falls silent
 */
export async function askLink<T>(
	context: IExecuteFunctions,
	url: string,
	use: (answer: LinkAnswer) => Promise<T>,
): Promise<T> {
	const own = await ownAuthority(context);
	const ending = new AbortController();
	try {
		const answer = await withEitherAuthority(own, { url, first: 'public' }, (trusted) =>
			request(context, url, ending.signal, trusted),
		);
		// An unhandled stream error would end the process.
		answer.body.on('error', () => undefined);
		return await Promise.race([use(answer), stall(answer, ending.signal)]);
	} finally {
		// Not `body.destroy()`: n8n wraps the body in a stream that passes this on only between two chunks.
		ending.abort();
	}
}

/** The authority in the node's credential, if it has one. */
export async function ownAuthority(context: IExecuteFunctions): Promise<string | undefined> {
	const { caCertificate } = await usableCredential(context);
	return clientTls({ caCertificate }).ca;
}

async function request(
	context: IExecuteFunctions,
	url: string,
	abortSignal: AbortSignal,
	agentOptions: { ca: string | undefined },
): Promise<LinkAnswer> {
	return (await context.helpers.httpRequest({
		method: 'GET',
		url,
		headers: { Accept: 'application/pdf', 'Accept-Encoding': 'identity' },
		encoding: 'stream',
		disableFollowRedirect: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		abortSignal,
		agentOptions,
	})) as LinkAnswer;
}

/** Fails once a body is overdue: n8n's own timeout counts only until the headers. */
async function stall({ headers }: LinkAnswer, signal: AbortSignal): Promise<never> {
	await sleep(transferTimeout(Number(headers['content-length'] ?? 0) || 0), signal);
	throw Object.assign(new Error('The file stalled'), { code: 'ETIMEDOUT' });
}
