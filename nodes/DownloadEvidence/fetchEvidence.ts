import type { IBinaryData, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { clientTls } from '../../credentials/clientTls';
import { openBinary } from '../shared/sending/attachments';
import { describeNetworkFailure } from '../shared/transport/networkFailure';
import { waitInWords } from '../shared/transport/retryAfter';
import { waitBeforeRetry } from '../shared/transport/retryPolicy';
import { usableCredential } from '../shared/transport/credential';
import { transferTimeout } from '../shared/transport/service';
import { ServiceFailed, type ServiceError } from '../shared/transport/serviceError';
import { httpsUrl } from './httpsUrl';
import { inspectPdf, type Inspected } from './inspectPdf';

/** Where to get a file. */
export interface Source {
	url: string;
	/** Gives a fresh link, for one that has expired. */
	renew(): Promise<string>;
	fileName: string;
}

/** A complete PDF in n8n's binary data, and what identifies it. */
export interface Evidence extends Pick<Inspected, 'size' | 'sha256'> {
	binary: IBinaryData;
}

/** Statuses a host may return for an expired link; the interface does not say which. */
const EXPIRED = [400, 401, 403, 404, 410];

/**
 * Streams a PDF from a signed link into n8n's binary data (rule EVID-03), retried where that may help, and
 * once with a fresh link. The link itself grants access, so neither token nor client certificate is sent; a
 * private authority must still be trusted.
 *
 * @throws ServiceFailed, without the link: it opens the evidence to anyone who has it
 */
export async function fetchEvidence(
	context: IExecuteFunctions,
	{ url, renew, fileName }: Source,
): Promise<Evidence> {
	let link = url;
	let isRenewed = false;
	const since = Date.now();
	for (let count = 1; ; count++) {
		const result = await fetchPdf(context, link, fileName);
		if ('binary' in result) return result;
		const { error } = result;
		if (!isRenewed && error.status !== null && EXPIRED.includes(error.status)) {
			link = await renew();
			isRenewed = true;
			continue;
		}
		const tried = { ...result, isRepeatable: true };
		const wait = waitBeforeRetry(tried, { count, since }, Date.now(), Math.random());
		if (wait === null) throw new ServiceFailed(error);
		await sleep(wait, context.getExecutionCancelSignal());
	}
}

type FetchedPdf = Evidence | { error: ServiceError; retryAfter: string | null };

/** Redirects from a link to its file; a storage service needs one or two. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Follows redirects itself: n8n would also follow one to plain http. */
async function fetchPdf(
	context: IExecuteFunctions,
	link: string,
	fileName: string,
): Promise<FetchedPdf> {
	let url = httpsUrl(link);
	if (url === null) return failed('The service returned a link that does not use https.');
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const { host } = url;
		try {
			const { statusCode, headers, body } = await request(context, url.href);
			if (statusCode === 200) {
				const announced = Number(headers['content-length'] ?? NaN);
				return await inTime(body, transferTimeout(announced || 0), () =>
					keepPdf(context, body, { host, fileName, announced }),
				);
			}
			discard(body);
			const { location, 'retry-after': retryAfter } = headers;
			if (!REDIRECTS.includes(statusCode) || typeof location !== 'string') {
				return refused(statusCode, typeof retryAfter === 'string' ? retryAfter : null, host);
			}
			url = httpsUrl(location, url.href);
			if (url === null) {
				const reason = `${host} redirects to an address that does not use https. The node does not follow it.`;
				return failed(reason, statusCode);
			}
		} catch (error) {
			return unreached(error, host);
		}
	}
	return failed(`The link was redirected more than ${MAX_REDIRECTS} times.`);
}

async function request(context: IExecuteFunctions, url: string): Promise<StreamResponse> {
	const { caCertificate } = await usableCredential(context);
	const { ca } = clientTls({ caCertificate });
	return (await context.helpers.httpRequest({
		method: 'GET',
		url,
		// If compressed, Content-Length would not be the size of the file.
		headers: { Accept: 'application/pdf', 'Accept-Encoding': 'identity' },
		encoding: 'stream',
		disableFollowRedirect: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		...(ca && { agentOptions: { ca } }),
	})) as StreamResponse;
}

/**
 * Stores the file, then reads it back: what is checked, and its digest, are those of the file that the workflow
 * continues with, which is never in memory as a whole.
 *
 * @param announced bytes according to Content-Length; NaN without that header
 */
async function keepPdf(
	context: IExecuteFunctions,
	body: Body,
	{ host, fileName, announced }: { host: string; fileName: string; announced: number },
): Promise<FetchedPdf> {
	const binary = await context.helpers.prepareBinaryData(body, fileName, 'application/pdf');
	const { open } = await openBinary(context, binary);
	const { size, sha256, isPdf, isWhole } = await inspectPdf(await open());
	if (!isPdf) return failed(`${host} did not return a PDF file.`, 200);
	// A file that its host keeps compressed arrives larger than announced.
	if (isWhole && !(size < announced)) return { binary, size, sha256 };
	const of = Number.isNaN(announced) ? '' : ` of ${announced}`;
	const reason = `${host} returned an incomplete PDF file: ${size}${of} bytes.`;
	// A retry may return all of it.
	return { error: fetchError(reason, { code: 'INCOMPLETE' }), retryAfter: null };
}

/** Ends a body that falls silent: n8n's own timeout counts only until the headers. */
async function inTime<T>(body: Body, ms: number, read: () => Promise<T>): Promise<T> {
	const ended = new AbortController();
	void sleep(ms, ended.signal).then(
		() => body.destroy(Object.assign(new Error('The file stalled'), { code: 'ETIMEDOUT' })),
		() => undefined,
	);
	try {
		return await read();
	} finally {
		ended.abort();
	}
}

function refused(status: number, retryAfter: string | null, host: string): FetchedPdf {
	const wait = waitInWords(retryAfter, Date.now());
	const advice = wait === null ? '' : ` Try again in ${wait}.`;
	const reason = `${host} answered with HTTP status ${status}.${advice}`;
	return { error: fetchError(reason, { status }), retryAfter };
}

function unreached(thrown: unknown, host: string): FetchedPdf {
	const { code } = describeNetworkFailure(thrown);
	const isUntrusted = /SELF_SIGNED|UNABLE_TO/.test(code ?? '');
	const reason = isUntrusted
		? `The certificate of ${host} is not from a known authority. Paste the certificate of the authority into "CA Certificate (PEM)" of the credential.`
		: `The connection to ${host} failed${code ? ` (${code})` : ''}.`;
	return { error: fetchError(reason, { code }), retryAfter: null };
}

type Body = Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0] &
	NodeJS.ReadableStream & { destroy(error?: Error): void };
type StreamResponse = IN8nHttpFullResponse & { body: Body };

function discard(body: Body): void {
	// An unhandled stream error would end the process.
	body.on('error', () => undefined);
	body.destroy();
}

function failed(reason: string, status: number | null = null): FetchedPdf {
	return { error: fetchError(reason, { status, isLocal: true }), retryAfter: null };
}

function fetchError(reason: string, more: Partial<ServiceError>): ServiceError {
	const message = 'The evidence could not be fetched from its link';
	return { message, description: reason, code: null, status: null, ...more };
}
