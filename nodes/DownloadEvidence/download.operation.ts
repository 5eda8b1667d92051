import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { clientTls } from '../../credentials/clientTls';
import { checkConcurrency } from '../shared/concurrencyField';
import { checkedCredential } from '../shared/credentialCheck';
import type { ListOperation } from '../shared/perItem';
import type { Evidence } from '../shared/message';
import { textParameter } from '../shared/parameters';
import { waitBeforeRetry } from '../shared/retryPolicy';
import { apiError } from '../shared/serviceError';
import { fetchPdf } from './fetchPdf';
import { ALL, readFields } from './fields';
import { readAllLinks, readLink } from './links';

interface Download {
	id: string;
	eventType: string;
	binaryField: string;
	/** PEM of a private authority. */
	ca: string | undefined;
}

const OUTPUT_FIELD = { name: 'binaryPropertyName', displayName: 'Put Output File in Field' };

/**
 * Downloads evidence as PDF files, one output item each (rules EVID-01 to EVID-03, AES-07). With all
 * event types, a letter that has none yet gives one item without a file, so that no letter is lost.
 */
export const download: ListOperation<Download> = {
	async prepare(context, itemIndex) {
		const { caCertificate } = await checkedCredential(context, itemIndex);
		checkConcurrency(context, itemIndex);
		return {
			...readFields(context, itemIndex),
			binaryField: textParameter(context, itemIndex, OUTPUT_FIELD, 'data') || 'data',
			ca: clientTls({ caCertificate }).ca,
		};
	},

	async perform(context, prepared, itemIndex) {
		const files =
			prepared.eventType === ALL
				? await allFiles(context, prepared, itemIndex)
				: [await oneFile(context, prepared, itemIndex)];
		return files.map(({ binary, ...json }) => ({
			json: { messageId: prepared.id, ...json },
			...(binary && { binary: { [prepared.binaryField]: binary } }),
			pairedItem: { item: itemIndex },
		})) as INodeExecutionData[];
	},
};

interface EvidenceFile {
	status?: string;
	eventType: string | null;
	fileName: string | null;
	binary?: IBinaryData;
}

async function oneFile(
	context: IExecuteFunctions,
	{ id, eventType, ca }: Download,
	itemIndex: number,
): Promise<EvidenceFile> {
	const fileName = `${id}-${eventType}.pdf`;
	const readAnew = async () => await readLink(context, id, eventType, itemIndex);
	const source = { url: await readAnew(), readAnew, fileName, ca };
	return { eventType, fileName, binary: await fetchEvidence(context, source, itemIndex) };
}

async function allFiles(
	context: IExecuteFunctions,
	{ id, ca }: Download,
	itemIndex: number,
): Promise<EvidenceFile[]> {
	const { status, evidences } = await readAllLinks(context, id, itemIndex);
	if (evidences.length === 0) return [{ status, eventType: null, fileName: null }];
	const files: EvidenceFile[] = [];
	for (const [index, { eventType, url }] of evidences.entries()) {
		const isSame = (one: Evidence) => one.eventType === eventType;
		const before = evidences.slice(0, index).filter(isSame).length;
		const fileName = `${id}-${eventType}${before > 0 ? `-${before + 1}` : ''}.pdf`;
		const readAnew = async () => {
			const again = await readAllLinks(context, id, itemIndex);
			return again.evidences.filter(isSame)[before]?.url ?? url;
		};
		const binary = await fetchEvidence(context, { url, readAnew, fileName, ca }, itemIndex);
		files.push({ status, eventType, fileName, binary });
	}
	return files;
}

interface Source {
	url: string;
	/** Gives a fresh link, for one that has expired. */
	readAnew(): Promise<string>;
	fileName: string;
	ca: string | undefined;
}

/** Answers of a host to a link that is no longer good; which one it gives is not shown. */
const EXPIRED = [400, 401, 403, 404, 410];

async function fetchEvidence(
	context: IExecuteFunctions,
	{ url, readAnew, fileName, ca }: Source,
	itemIndex: number,
): Promise<IBinaryData> {
	let link = url;
	let isFresh = false;
	const since = Date.now();
	for (let count = 1; ; count++) {
		const result = await fetchPdf(context, link, fileName, ca);
		if ('binary' in result) return result.binary;
		const { failure } = result;
		if (!isFresh && failure.status !== null && EXPIRED.includes(failure.status)) {
			link = await readAnew();
			isFresh = true;
			continue;
		}
		const failed = { ...result, isRepeatable: true };
		const wait = waitBeforeRetry(failed, { count, since }, Date.now(), Math.random());
		if (wait === null) throw apiError(context, failure, itemIndex);
		await sleep(wait, context.getExecutionCancelSignal());
	}
}
