import type { IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { clientTls } from '../../credentials/clientTls';
import { usableCredential } from '../shared/transport/credential';
import { describeNetworkFailure } from '../shared/transport/networkFailure';
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
	const ask = async (ca?: string) => await request(context, url, ending.signal, ca);
	try {
		const publicly = ask();
		// `ca` replaces Node's own list of authorities, which a node cannot read to add to it.
		const answer = await (own === undefined
			? publicly
			: publicly.catch(async (error: unknown) =>
					isUntrusted(describeNetworkFailure(error).code) ? await ask(own) : await publicly,
				));
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

/** Whether a network's code means that the host's certificate is from no authority that was asked. */
export function isUntrusted(code: string | null): boolean {
	return /SELF_SIGNED|UNABLE_TO/.test(code ?? '');
}

async function request(
	context: IExecuteFunctions,
	url: string,
	abortSignal: AbortSignal,
	ca?: string,
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
		...(ca && { agentOptions: { ca } }),
	})) as LinkAnswer;
}

/** Fails once a body is overdue: n8n's own timeout counts only until the headers. */
async function stall({ headers }: LinkAnswer, signal: AbortSignal): Promise<never> {
	await sleep(transferTimeout(Number(headers['content-length'] ?? 0) || 0), signal);
	throw Object.assign(new Error('The file stalled'), { code: 'ETIMEDOUT' });
}
