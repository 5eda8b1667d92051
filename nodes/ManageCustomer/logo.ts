import type { FilePart } from '../shared/multipart';

/** Largest logo: 2 × 1024 × 1024 bytes (rule CUST-05). */
const MAX_LOGO_BYTES = 2 * 1024 * 1024;

const FORMATS = [
	{
		name: 'logo.png',
		mimeType: 'image/png',
		magic: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
	},
	{ name: 'logo.jpg', mimeType: 'image/jpeg', magic: [0xff, 0xd8, 0xff] },
];

/**
 * The file as the service takes it for a logo, or what is wrong with it (rule CUST-05). What it is goes
 * by its first bytes: names and types given to binary data are often wrong.
 */
export async function logoPart(file: FilePart): Promise<{ part: FilePart } | { problem: string }> {
	if (file.size > MAX_LOGO_BYTES) {
		const size = (file.size / 1024 / 1024).toFixed(1);
		return { problem: `The file has ${size} MB; a logo has 2 MB at most.` };
	}
	const start = await firstBytes(file, 8);
	const format = FORMATS.find(({ magic }) => magic.every((byte, index) => start[index] === byte));
	if (!format) {
		return { problem: `The file "${file.fileName}" is neither a JPEG nor a PNG image.` };
	}
	const { name, mimeType } = format;
	return { part: { ...file, field: 'logo', fileName: name, mimeType } };
}

async function firstBytes({ open }: FilePart, count: number): Promise<number[]> {
	const bytes: number[] = [];
	for await (const chunk of await open()) {
		bytes.push(...chunk.subarray(0, count - bytes.length));
		if (bytes.length >= count) break;
	}
	return bytes;
}
