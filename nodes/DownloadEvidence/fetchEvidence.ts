import type { IBinaryData, IExecuteFunctions, IN8nHttpFullResponse } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { openBinary } from '../shared/items/inputFiles';
import { withEitherAuthority } from '../shared/transport/authorities';
import { usableCredential } from '../shared/transport/credential';
import { waitBeforeRetry } from '../shared/transport/retryPolicy';
import { transferTimeout } from '../shared/transport/service';
import { ServiceFailed, type RequestFailure } from '../shared/transport/serviceError';
import { httpsUrl, redirectUrl } from './httpsUrl';
import { inspectPdf, type InspectedPdf } from './inspectPdf';
import { incomplete, refused, unreached, unusable } from './linkFailure';

/** Where to get a file. */
export interface EvidenceSource {
	url: string;
	/** Gives a fresh link, for one that has expired. */
	renew(): Promise<string>;
	fileName: string;
}

/** A complete PDF in n8n's binary data, and what identifies it. */
interface EvidenceFile extends Pick<InspectedPdf, 'size' | 'sha256'> {
	binary: IBinaryData;
}

/** Statuses a host may return for an expired link; the interface does not say which. */
const EXPIRED_LINK = [400, 401, 403, 404, 410];

/**
 * Streams a PDF from a signed link into n8n's binary data (rule EVID-03), retried where that may help, and
 * once with a fresh link. The link itself grants access, so neither token nor client certificate is sent; a
 * private authority must still be trusted.
 *
 * @throws ServiceFailed, without the link: it opens the evidence to anyone who has it
 */
export async function fetchEvidence(
	context: IExecuteFunctions,
	{ url, renew, fileName }: EvidenceSource,
): Promise<EvidenceFile> {
	let link = url;
	let isRenewed = false;
	let sizeBefore: number | null = null;
	const since = Date.now();
	for (let count = 1; ; count++) {
		const result = await fetchPdf(context, link, { fileName, sizeBefore });
		if ('binary' in result) return result;
		const { error, size = null } = result;
		sizeBefore = size;
		if (!isRenewed && error.status !== null && EXPIRED_LINK.includes(error.status)) {
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

type FetchedPdf = EvidenceFile | { error: RequestFailure; size?: number };

/** What a file is kept as, and what it is compared with. */
interface Wanted {
	fileName: string;
	/** Bytes that the try before brought without proof that they are all; null for none. */
	sizeBefore: number | null;
}

/** Redirects from a link to its file; a storage service needs one or two. */
const MAX_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

/** Follows redirects itself: n8n would also follow one to plain http. */
async function fetchPdf(
	context: IExecuteFunctions,
	link: string,
	wanted: Wanted,
): Promise<FetchedPdf> {
	let url = httpsUrl(link);
	if (url === null) return unusable('The service returned a link that does not use https.');
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		const next = await visit(context, url, wanted);
		if (!(next instanceof URL)) return next;
		url = next;
	}
	return unusable(`The link was redirected more than ${MAX_REDIRECTS} times.`);
}

/** @returns what an address gave, or to which other one it leads */
async function visit(
	context: IExecuteFunctions,
	{ host, href }: URL,
	wanted: Wanted,
): Promise<FetchedPdf | URL> {
	try {
		return await askLink(context, href, async (answer) => {
			const { statusCode, headers } = answer;
			if (statusCode === 200) return await keepPdf(context, answer, host, wanted);
			if (!REDIRECTS.includes(statusCode) || typeof headers.location !== 'string') {
				return refused(statusCode, headers['retry-after'], host);
			}
			const reason = `${host} redirects to an address that does not use https. The node does not follow it.`;
			return redirectUrl(headers.location, href) ?? unusable(reason, statusCode);
		});
	} catch (error) {
		const { caCertificate } = await usableCredential(context);
		return unreached(error, host, caCertificate !== undefined);
	}
}

/** An answer whose body is still on its way. */
type LinkAnswer = IN8nHttpFullResponse & { body: Body };

type Body = Exclude<Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0], Uint8Array>;

/**
 * Asks for what a link leads to, and ends the connection once `use` is done with the answer, or does not get
 * on. A private authority of the credential is trusted beside the public ones.
 *
 * @throws what n8n's request helper throws; ETIMEDOUT if the body falls silent
 */
async function askLink<T>(
	context: IExecuteFunctions,
	url: string,
	use: (answer: LinkAnswer) => Promise<T>,
): Promise<T> {
	const { caCertificate: ca } = await usableCredential(context);
	const ending = new AbortController();
	const send = async (trusted?: { ca: string | undefined }) =>
		await request(context, url, ending.signal, trusted);
	try {
		const answer = await (ca ? withEitherAuthority(ca, { url, first: 'public' }, send) : send());
		// An unhandled stream error would end the process.
		answer.body.on('error', () => undefined);
		return await Promise.race([use(answer), stall(answer, ending.signal)]);
	} finally {
		// Not `body.destroy()`: n8n wraps the body in a stream that passes this on only between two chunks.
		ending.abort();
	}
}

async function request(
	context: IExecuteFunctions,
	url: string,
	abortSignal: AbortSignal,
	agentOptions?: { ca: string | undefined },
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

/**
 * Stores the file, then reads it back: what is checked, and its digest, are those of the file that the workflow
 * continues with, which is never in memory as a whole.
 */
async function keepPdf(
	context: IExecuteFunctions,
	{ headers, body }: LinkAnswer,
	host: string,
	{ fileName, sizeBefore }: Wanted,
): Promise<FetchedPdf> {
	const binary = await context.helpers.prepareBinaryData(body, fileName, 'application/pdf');
	const { open } = await openBinary(context, binary);
	const file = await inspectPdf(await open());
	const { size, sha256 } = file;
	const { 'content-length': announced, 'content-encoding': encoding } = headers;
	if (!file.isPdf) {
		const as = encoding === undefined ? '' : ` (Content-Encoding: ${String(encoding)})`;
		return unusable(`${host} did not return a PDF file${as}.`, 200);
	}
	if (!file.hasEndMark) {
		const of = announced === undefined ? '' : ` of ${String(announced)}`;
		return incomplete(`${host} returned an incomplete PDF file: ${size}${of} bytes.`);
	}
	if (isWhole(file, headers, sizeBefore)) return { binary, size, sha256 };
	const doubt =
		announced === undefined ? 'does not say how long the file is' : 'compresses the file';
	const reason = `${host} ${doubt}, and nothing else shows that the ${size} bytes are all of it. Open the link of "Get Link to Evidence" in a browser and compare.`;
	return { ...incomplete(reason), size };
}

/** Whether a PDF that has an end mark is whole, as far as its host lets us know. */
function isWhole(
	{ size, endsWithMark, endsAsPdf }: InspectedPdf,
	{ 'content-length': announced, 'transfer-encoding': chunked }: LinkAnswer['headers'],
	sizeBefore: number | null,
): boolean {
	// A body that lacks announced bytes fails in n8n's request helper. It counts them compressed, if a host does
	// so unasked, and does not notice where they are cut.
	if (announced !== undefined) return Number(announced) === size || endsWithMark;
	// A cut behind an earlier version within the file looks like an end. Chunks would show that the connection
	// broke; without them, two tries would differ.
	return endsAsPdf && (chunked !== undefined || size === sizeBefore);
}
