import type { IBinaryData, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';

import { describeNetworkFailure, type Failure } from '../shared/serviceError';
import { waitInWords } from '../shared/retryAfter';
import { httpsUrl } from './httpsUrl';
import { startsWith } from './startsWith';

export type FetchedPdf = { binary: IBinaryData } | { failure: Failure; retryAfter: string | null };

/** Redirects on the way from a link to its file; a storage service needs one or two. */
const MOST_REDIRECTS = 5;

/**
 * Streams a PDF from a signed link into n8n's binary data (rule EVID-03). The link alone opens it, so
 * neither token nor client certificate goes along; a private authority still has to be trusted. A
 * redirect is followed over https only.
 *
 * @param ca PEM of the private authority, if there is one
 */
export async function fetchPdf(
	context: IExecuteFunctions,
	link: string,
	fileName: string,
	ca: string | undefined,
): Promise<FetchedPdf> {
	let url = httpsUrl(link);
	if (url === null) return failed(null, 'The service gave a link without https.');
	for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
		const { host } = url;
		try {
			const response = await ask(context, url.href, ca);
			const { statusCode, headers, body } = response;
			if (statusCode === 200) return await keepPdf(context, body, host, fileName);
			discard(body);
			const { location } = headers;
			const isRedirect = REDIRECTS.includes(statusCode) && typeof location === 'string';
			if (!isRedirect) return refused(response, host);
			url = httpsUrl(location, url.href);
			if (url === null) {
				return failed(
					statusCode,
					`${host} redirects to an address without https, which is not followed.`,
				);
			}
		} catch (error) {
			return unreached(error, host);
		}
	}
	return failed(null, `The link was redirected more than ${MOST_REDIRECTS} times.`);
}

const REDIRECTS = [301, 302, 303, 307, 308];

async function ask(
	{ helpers }: IExecuteFunctions,
	url: string,
	ca: string | undefined,
): Promise<StreamResponse> {
	return (await helpers.httpRequest({
		method: 'GET',
		url,
		headers: { Accept: 'application/pdf' },
		encoding: 'stream',
		// n8n's own following would go on to plain http.
		disableFollowRedirect: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		...(ca && { agentOptions: { ca } }),
	})) as StreamResponse;
}

async function keepPdf(
	{ helpers }: IExecuteFunctions,
	body: Body,
	host: string,
	fileName: string,
): Promise<FetchedPdf> {
	if (!(await startsWith(body, '%PDF-'))) {
		discard(body);
		return failed(200, `What ${host} sent is not a PDF file.`);
	}
	return { binary: await helpers.prepareBinaryData(body, fileName, 'application/pdf') };
}

function refused({ statusCode, headers }: StreamResponse, host: string): FetchedPdf {
	const { 'retry-after': retryAfter } = headers;
	const asked = typeof retryAfter === 'string' ? retryAfter : null;
	const wait = waitInWords(asked, Date.now());
	const reason = `${host} answered with HTTP status ${statusCode}.`;
	const advice = wait === null ? '' : ` Try again in ${wait}.`;
	return {
		failure: { ...words(`${reason}${advice}`), status: statusCode, code: null },
		retryAfter: asked,
	};
}

function unreached(error: unknown, host: string): FetchedPdf {
	const { code } = describeNetworkFailure(error);
	const isUntrusted = /SELF_SIGNED|UNABLE_TO/.test(code ?? '');
	const reason = isUntrusted
		? `The certificate of ${host} is not from a known authority; CA Certificate of the credential should hold it.`
		: `The connection to ${host} failed${code ? ` (${code})` : ''}.`;
	return { failure: { ...words(reason), status: null, code }, retryAfter: null };
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
