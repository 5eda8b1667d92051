import type { IBinaryData, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import { describeNetworkFailure, type Failure } from '../shared/serviceError';
import { startsWith } from './startsWith';

export type FetchedPdf = { binary: IBinaryData } | { failure: Failure; retryAfter: string | null };

/**
 * Streams a PDF from a signed link into n8n's binary data (rule EVID-03). The link alone opens it, so
 * neither token nor client certificate goes along; a private authority still has to be trusted.
 *
 * @param ca PEM of the private authority, if there is one
 */
export async function fetchPdf(
	{ helpers }: IExecuteFunctions,
	url: string,
	fileName: string,
	ca: string | undefined,
): Promise<FetchedPdf> {
	if (!url.startsWith('https://')) return failed(null, 'The service gave a link without https.');
	const host = new URL(url).host;
	try {
		const { statusCode, headers, body } = (await helpers.httpRequest({
			method: 'GET',
			url,
			headers: { Accept: 'application/pdf' },
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			...(ca && { agentOptions: { ca } }),
		})) as StreamResponse;
		if (statusCode !== 200) {
			discard(body);
			const retryAfter = headers['retry-after'];
			return {
				failure: {
					...words(`${host} answered with HTTP status ${statusCode}.`),
					status: statusCode,
					code: null,
				},
				retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
			};
		}
		if (!(await startsWith(body, '%PDF-'))) {
			discard(body);
			return failed(statusCode, `What ${host} gave is no PDF.`);
		}
		const binary = await helpers.prepareBinaryData(body, fileName, 'application/pdf');
		return { binary };
	} catch (error) {
		const { code } = describeNetworkFailure(error);
		const isUntrusted = /SELF_SIGNED|UNABLE_TO/.test(code ?? '');
		const reason = isUntrusted
			? `The certificate of ${host} is not from a known authority; CA Certificate of the credential should hold it.`
			: `The connection to ${host} failed${code ? ` (${code})` : ''}.`;
		return { failure: { ...words(reason), status: null, code }, retryAfter: null };
	}
}

type Body = Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0] &
	NodeJS.ReadableStream & { destroy(): void };
type StreamResponse = IN8nHttpFullResponse & { body: Body };

function discard(body: Body): void {
	// A stream without a listener for errors would end the process when it has one.
	body.on('error', () => undefined);
	body.destroy();
}

function failed(status: number | null, reason: string): FetchedPdf {
	return { failure: { ...words(reason), status, code: null, isLocal: true }, retryAfter: null };
}

// The link itself opens the evidence to whoever has it, so it is not shown.
function words(reason: string): Pick<Failure, 'message' | 'description'> {
	return { message: 'The evidence could not be fetched from its link', description: reason };
}
