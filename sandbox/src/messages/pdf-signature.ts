import type { CmsSigner } from '../accounts/cms.ts';

/** Bytes kept free for the signature, which has about 2,000 with its chain. */
const ROOM = 4096;
const NUMBER = 9_999_999_999;

/** A part of pdfkit that its types omit. */
interface WithForm {
	initForm(): void;
	_root: { data: { AcroForm: { data: Record<string, unknown> } } };
}

/**
 * Adds an invisible signature field to the page at hand (ISO 32000-1, 12.8.1; PAdES), whose
 * signature `signPdf` fills in once the file is written.
 */
export function reserveSignature(pdf: PDFKit.PDFDocument, name: string, at: Date): void {
	const signature = pdf.ref({
		Type: 'Sig',
		Filter: 'Adobe.PPKLite',
		SubFilter: 'ETSI.CAdES.detached',
		ByteRange: [0, NUMBER, NUMBER, NUMBER],
		Contents: Buffer.alloc(ROOM),
		Name: new String(name),
		M: at,
	});
	const widget = pdf.ref({
		...{ Type: 'Annot', Subtype: 'Widget', FT: 'Sig', T: new String('Signature'), V: signature },
		// Zero size, so nothing is drawn; printed and locked.
		...{ Rect: [0, 0, 0, 0], F: 132, P: pdf.page.dictionary },
	});
	signature.end(undefined);
	widget.end(undefined);
	const form = pdf as unknown as WithForm;
	form.initForm();
	const { AcroForm } = form._root.data;
	// Signatures exist, and the file is only ever appended to.
	AcroForm.data = { Fields: [widget], SigFlags: 3, DR: AcroForm.data.DR };
	pdf.page.annotations.push(widget);
}

/** Fills in the reserved place with a signature over every other byte of the file. */
export function signPdf(pdf: Buffer, sign: CmsSigner): Buffer {
	const range = Buffer.from(`/ByteRange [0 ${NUMBER} ${NUMBER} ${NUMBER}]`);
	const free = Buffer.from(`<${'0'.repeat(2 * ROOM)}>`);
	const rangeAt = pdf.indexOf(range);
	const start = pdf.indexOf(free, rangeAt);
	if (rangeAt < 0 || start < 0) throw new Error('The PDF has no place for a signature');
	const end = start + free.length;
	const signed = Buffer.from(pdf);
	const actual = `/ByteRange [0 ${start} ${end} ${pdf.length - end}`;
	signed.write(`${actual}${' '.repeat(range.length - actual.length - 1)}]`, rangeAt, 'latin1');
	const signature = sign(signed.subarray(0, start), signed.subarray(end)).toString('hex');
	if (signature.length > 2 * ROOM) throw new Error('The signature is larger than its place');
	signed.write(signature, start + 1, 'latin1');
	return signed;
}
