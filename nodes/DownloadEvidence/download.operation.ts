import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { clientTls } from '../../credentials/clientTls';
import { readConcurrency } from '../shared/fields/concurrencyField';
import { readParameter } from '../shared/fields/parameter';
import { readText } from '../shared/fields/reading';
import type { NodeOperation } from '../shared/items/operation';
import { perItem, type OutputItem } from '../shared/items/perItem';
import { readCredential } from '../shared/transport/service';
import { fetchEvidence } from './fetchEvidence';
import { ALL, evidenceFields, readEvidenceFields } from './fields';
import { readAllLinks, readLink } from './links';

const outputFileField: INodeProperties = {
	displayName: 'Put Output File in Field',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	hint: 'The name of the output binary field to put the file in',
};

const [messageId, eventType, options] = evidenceFields(true);

/**
 * Downloads evidence as PDF files, one output item each (rules EVID-01 to EVID-03, AES-07). With all event
 * types, a letter that has no evidence yet gives one item without a file, so that no letter gets lost.
 */
export const download: NodeOperation = {
	name: 'Download Evidence',
	value: 'download',
	description: 'Download the evidence of a letter as PDF files, one item each',
	action: 'Download evidence',
	fields: [messageId, eventType, outputFileField, options],
	execute: perItem(
		{
			async prepare(context, itemIndex) {
				const evidence = readEvidenceFields(context, itemIndex, true);
				const { caCertificate } = await readCredential(context);
				return {
					...evidence,
					binaryField: readParameter(context, itemIndex, outputFileField, readText) || 'data',
					ca: clientTls({ caCertificate }).ca,
				};
			},

			perform: async (context, prepared) =>
				prepared.eventType === ALL
					? await downloadAll(context, prepared)
					: [await downloadOne(context, prepared)],
		},
		readConcurrency,
	),
};

interface Download {
	id: string;
	eventType: string;
	binaryField: string;
	/** PEM of a private authority. */
	ca: string | undefined;
}

async function downloadOne(
	context: IExecuteFunctions,
	{ id, eventType, binaryField, ca }: Download,
): Promise<OutputItem> {
	const fileName = `${id}-${eventType}.pdf`;
	const renew = async () => await readLink(context, id, eventType);
	const file = await fetchEvidence(context, { url: await renew(), renew, fileName, ca });
	const { binary, size, sha256 } = file;
	const json = { messageId: id, eventType, fileName, size, sha256 };
	return { json, binary: { [binaryField]: binary } };
}

async function downloadAll(
	context: IExecuteFunctions,
	{ id, binaryField, ca }: Download,
): Promise<OutputItem[]> {
	const { status, evidences } = await readAllLinks(context, id);
	if (evidences.length === 0) {
		return [{ json: { messageId: id, status, eventType: null, fileName: null } }];
	}
	const items: OutputItem[] = [];
	const counts = new Map<string, number>();
	for (const { eventType, url } of evidences) {
		const count = counts.get(eventType) ?? 0;
		counts.set(eventType, count + 1);
		const fileName = `${id}-${eventType}${count > 0 ? `-${count + 1}` : ''}.pdf`;
		const renew = async () => {
			const { evidences: renewed } = await readAllLinks(context, id);
			return renewed.filter((one) => one.eventType === eventType)[count]?.url ?? url;
		};
		const file = await fetchEvidence(context, { url, renew, fileName, ca });
		const { binary, size, sha256 } = file;
		const json = { messageId: id, status, eventType, fileName, size, sha256 };
		items.push({ json, binary: { [binaryField]: binary } });
	}
	return items;
}
