import { open } from 'node:fs/promises';
import { customerLogoRequired, invalid, unexpectedFile } from '../http/errors.ts';
import { asAttachment, type UploadedFile } from '../http/upload.ts';
import type { Attachment } from '../state/model.ts';

/** Rule CUST-05. */
export const MAX_LOGO_BYTES = 2 * 1024 * 1024;

const FORMATS = [
	{
		contentType: 'image/png',
		magic: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
	},
	{ contentType: 'image/jpeg', magic: Buffer.from([0xff, 0xd8, 0xff]) },
] as const;

/** The image type by its first bytes, whatever the file name says; null for other formats. */
export const imageType = (start: Buffer): string | null =>
	FORMATS.find(({ magic }) => start.subarray(0, magic.length).equals(magic))?.contentType ?? null;

/** Rule CUST-05: JPEG or PNG of at most 2 MB. Records the detected type. */
export async function checkLogo(file: Attachment, field: string): Promise<void> {
	if (file.size > MAX_LOGO_BYTES)
		throw invalid({ field, rule: 'maxSize', message: `${field} may have 2 MB` });
	const contentType = imageType(await firstBytes(file.path));
	if (contentType === null)
		throw invalid({ field, rule: 'mimes', message: `${field} must be a JPEG or PNG image` });
	file.contentType = contentType;
}

const LOGO_FIELD = /^logo(\[\d*\])?$/;

/** The request's only logo (rules CUST-05 and CUST-06). */
export async function readLogo(files: UploadedFile[]): Promise<Attachment> {
	const [logo, ...more] = files.filter(({ field }) => LOGO_FIELD.test(field));
	if (!logo) throw customerLogoRequired();
	if (more.length > 0)
		throw invalid({ field: 'logo', rule: 'maxLength', message: 'logo takes one file' });
	const other = files.find(({ field }) => !LOGO_FIELD.test(field));
	if (other) throw unexpectedFile(other.field);
	await checkLogo(logo, 'logo');
	return asAttachment(logo);
}

async function firstBytes(path: string): Promise<Buffer> {
	const file = await open(path);
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await file.close();
	}
}
