import type { IExecuteFunctions } from 'n8n-workflow';

import { readConcurrency } from '../shared/items/concurrency';
import { field, readFields, readText } from '../shared/fields/field';
import type { NodeOperation } from '../shared/items/operation';
import { perItem, type OutputItem } from '../shared/items/perItem';
import type { Evidence } from '../shared/transport/readMessage';
import { fetchEvidence, type EvidenceSource } from './fetchEvidence';
import { ALL, evidenceOptions, onePieceOrAll } from './evidenceFields';
import { readAllLinks, readLink } from './links';

const outputFileField = field(
	{
		displayName: 'Put Output File in Field',
		name: 'binaryPropertyName',
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		hint: 'The name of the output binary field to put the file in',
	},
	readText,
);

const { id, eventType } = onePieceOrAll;

/**
 * Downloads evidence as PDF files, one output item each (rules EVID-01 to EVID-03, AES-07). With all event
 * types, a letter that has no evidence yet gives one item without a file, so that no letter gets lost.
 */
export const download: NodeOperation = {
	name: 'Download Evidence',
	value: 'download',
	description: 'Download the evidence of a letter as PDF files, one item each',
	action: 'Download evidence',
	fields: [id, eventType, outputFileField, evidenceOptions],
	execute: perItem(
		{
			prepare: (context, itemIndex) =>
				readFields(context, itemIndex, { id, eventType, binaryField: outputFileField }),

			async perform(context, { id, eventType, binaryField }) {
				const isAll = eventType === ALL;
				const found = isAll ? await findAll(context, id) : await findOne(context, id, eventType);
				const items: OutputItem[] = [];
				for (const { source, ...piece } of found.pieces) {
					const { binary, size, sha256 } = await fetchEvidence(context, source);
					const json = { ...found.letter, ...piece, fileName: source.fileName, size, sha256 };
					items.push({ json, binary: { [binaryField || 'data']: binary } });
				}
				const none = { ...found.letter, eventType: null, fileName: null };
				return items.length > 0 ? items : [{ json: none }];
			},
		},
		readConcurrency,
	),
};

/** A letter, as its items show it, and its evidence. */
interface Found {
	letter: { messageId: string; status?: string };
	pieces: Array<{ eventType: string; source: EvidenceSource }>;
}

async function findOne(context: IExecuteFunctions, id: string, eventType: string): Promise<Found> {
	const renew = async () => await readLink(context, id, eventType);
	const source = { url: await renew(), renew, fileName: `${id}-${eventType}.pdf` };
	return { letter: { messageId: id }, pieces: [{ eventType, source }] };
}

async function findAll(context: IExecuteFunctions, id: string): Promise<Found> {
	const { status, evidences } = await readAllLinks(context, id);
	const pieces = evidences.map(({ eventType, url }, at) => {
		const isSame = (one: Evidence) => one.eventType === eventType;
		const before = evidences.slice(0, at).filter(isSame).length;
		const renew = async () => {
			const { evidences: renewed } = await readAllLinks(context, id);
			return renewed.filter(isSame)[before]?.url ?? url;
		};
		const fileName = `${id}-${eventType}${before > 0 ? `-${before + 1}` : ''}.pdf`;
		return { eventType, source: { url, renew, fileName } };
	});
	return { letter: { messageId: id, status }, pieces };
}
