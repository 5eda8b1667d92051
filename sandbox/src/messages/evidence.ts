import { buffer } from 'node:stream/consumers';
import type { Response } from 'express';
import { evidenceTypes, type EvidenceType } from '../delivery/lifecycle.ts';
import { contactName } from '../html/readable.ts';
import { iso } from '../state/clock.ts';
import type { HistoryEntry, Message } from '../state/model.ts';
import type { World } from '../world/world.ts';

/** The shorter of the two lifetimes the interface names (section Limits). */
export const EVIDENCE_LINK_MS = 24 * 3_600_000;

type Provable = HistoryEntry & { status: EvidenceType };

/** The history entries that produce an evidence, with their positions. */
export function provableEvents(message: Message): Array<{ index: number; entry: Provable }> {
	const types: readonly string[] = evidenceTypes(message.type);
	return message.history
		.map((entry, index) => ({ index, entry, before: message.history[index - 1]?.status }))
		.filter(({ entry, before }) => types.includes(entry.status) && entry.status !== before)
		.filter(({ entry }) => entry.status !== 'SENT' || entry.what === 'send')
		.map(({ index, entry }) => ({ index, entry: entry as Provable }));
}

/** Evidences with signed links, regenerated on each read (rules READ-02, READ-04). */
export function evidencesOf(world: World, message: Message) {
	const expiresAt = world.clock.now() + EVIDENCE_LINK_MS;
	return provableEvents(message).map(({ index, entry }) => ({
		url: world.host.url + world.links.sign(`/evidences/${message.id}/${index}`, expiresAt),
		eventType: entry.status,
	}));
}

/**
 * Responds with a PDF that states message, event and time (rule EVID-04). It is made on each request:
 * the same bytes each time.
 */
export async function sendEvidence(
	response: Response,
	message: Message,
	entry: HistoryEntry,
): Promise<void> {
	// Loaded with the first evidence, to keep startup fast.
	const { default: PdfDocument } = await import('pdfkit');
	const recipient = `${contactName(message.contact)} <${message.contact.email}>`;
	const pdf = new PdfDocument({
		size: 'A4',
		margin: 64,
		info: {
			Title: `Evidence ${entry.status} of message ${message.id}`,
			// Metadata can keep every script as it is.
			Subject: recipient,
			CreationDate: new Date(entry.at),
		},
	});
	pdf.font('Helvetica-Bold').fontSize(20).text('Evidence of an electronic delivery');
	pdf.moveDown(0.3).font('Helvetica').fontSize(10).fillColor('#666666');
	pdf.text('Made by the sandbox. It proves nothing.').moveDown(2);
	const rows = [
		['Message', message.id],
		['Type', message.type],
		['Event', entry.status],
		['Time (UTC)', iso(entry.at)],
		['Recipient', recipient],
		['File reference', message.fileReference ?? '-'],
		['Customer reference', message.customerReference ?? '-'],
		...message.attachments.map(({ name, sha256 }) => ['Attachment', `${name}\nSHA-256 ${sha256}`]),
	];
	for (const [label = '', value = ''] of rows) {
		pdf.fillColor('#666666').fontSize(9).text(label.toUpperCase(), { characterSpacing: 0.6 });
		pdf.fillColor('#000000').fontSize(12).text(toLatin(value)).moveDown(0.8);
	}
	pdf.end();
	response.type('application/pdf').send(await buffer(pdf));
}

/** In WinAnsi, all that the fonts built into every PDF reader have: a font for the rest would outweigh the sandbox. */
const toLatin = (text: string): string =>
	[...text.normalize('NFC')]
		.map((letter) =>
			IN_FONTS.test(letter) ? letter : letter.normalize('NFKD').replaceAll(/\p{M}/gu, ''),
		)
		.map((letter) => (IN_FONTS.test(letter) ? letter : '?'))
		.join('');

const IN_FONTS = /^[\n\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]+$/;
