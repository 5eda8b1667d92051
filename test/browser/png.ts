// Screenshots in fewer bytes: with 256 colours at most, which is all that pages of text and flat colours
// have, a PNG needs one byte a pixel instead of four. Format: https://www.w3.org/TR/png-3/
import { crc32, deflateSync, inflateSync } from 'node:zlib';

import { choosePalette } from './palette.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Bytes a pixel, by the format's number for a kind of colour: RGB, and RGB with alpha. */
const CHANNELS: Record<number, number> = { 2: 3, 6: 4 };
const INDEXED = 3;

/** Opaque, 8 bits a channel. */
export interface Picture {
	width: number;
	height: number;
	/** 0xRRGGBB of each pixel, line by line. */
	pixels: Uint32Array;
}

/** The same picture with a palette of at most 256 colours. @throws Error unless it is a browser's PNG */
export function inFewerBytes(png: Buffer): Buffer {
	const { width, height, pixels } = readPng(png);
	const { colours, indexOf } = choosePalette(pixels, 256);
	const palette = Buffer.alloc(colours.length * 3);
	colours.forEach((colour, index) => palette.writeUIntBE(colour, index * 3, 3));

	// Each line begins with the number of its filter: 0, none, is best for a palette.
	const lines = Buffer.alloc((width + 1) * height);
	for (let y = 0, pixel = 0; y < height; y++) {
		const start = y * (width + 1) + 1;
		for (let x = 0; x < width; x++) lines[start + x] = indexOf.get(pixels[pixel++]) ?? 0;
	}

	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, INDEXED], 8);
	return Buffer.concat([
		SIGNATURE,
		chunk('IHDR', header),
		chunk('PLTE', palette),
		chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

/** Reads what browsers write: 8 bits a channel, RGB or RGBA, not interlaced. Alpha is ignored. */
export function readPng(png: Buffer): Picture {
	const chunks = chunksOf(png);
	const header = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13);
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	const [depth, colourType, , , interlaced] = header.subarray(8);
	const channels = CHANNELS[colourType];
	if (depth !== 8 || channels === undefined || interlaced !== 0) {
		throw new Error(`Not a browser's PNG: ${depth} bits, colour type ${colourType}.`);
	}
	const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
	const bytes = unfilter(inflateSync(Buffer.concat(packed)), width * channels, channels);
	const pixels = new Uint32Array(width * height);
	for (let pixel = 0; pixel < pixels.length; pixel++) {
		pixels[pixel] = bytes.readUIntBE(pixel * channels, 3);
	}
	return { width, height, pixels };
}

function chunksOf(png: Buffer): Array<{ type: string; data: Buffer }> {
	if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('Not a PNG.');
	const chunks = [];
	for (let at = 8; at < png.length; ) {
		const size = png.readUInt32BE(at);
		const type = png.toString('latin1', at + 4, at + 8);
		chunks.push({ type, data: png.subarray(at + 8, at + 8 + size) });
		at += size + 12;
	}
	return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const framed = Buffer.alloc(body.length + 8);
	framed.writeUInt32BE(data.length, 0);
	framed.set(body, 4);
	framed.writeUInt32BE(crc32(body), body.length + 4);
	return framed;
}

/** Undoes the filters: each byte was stored as the difference from what its neighbours foretell. */
function unfilter(stored: Buffer, lineBytes: number, channels: number): Buffer {
	const height = stored.length / (lineBytes + 1);
	const bytes = Buffer.alloc(lineBytes * height);
	for (let y = 0; y < height; y++) {
		const foretell = FORETELL[stored[y * (lineBytes + 1)]];
		for (let x = 0; x < lineBytes; x++) {
			const at = y * lineBytes + x;
			const left = x < channels ? 0 : bytes[at - channels];
			const up = y === 0 ? 0 : bytes[at - lineBytes];
			const upLeft = x < channels || y === 0 ? 0 : bytes[at - lineBytes - channels];
			bytes[at] = stored[y * (lineBytes + 1) + 1 + x] + foretell(left, up, upLeft);
		}
	}
	return bytes;
}

const FORETELL: Array<(left: number, up: number, upLeft: number) => number> = [
	() => 0,
	(left) => left,
	(_, up) => up,
	(left, up) => (left + up) >> 1,
	paeth,
];

/** Of the three neighbours, the one nearest to left + up - upLeft. */
function paeth(left: number, up: number, upLeft: number): number {
	const [toLeft, toUp] = [Math.abs(up - upLeft), Math.abs(left - upLeft)];
	const toUpLeft = Math.abs(left + up - 2 * upLeft);
	if (toLeft <= toUp && toLeft <= toUpLeft) return left;
	return toUp <= toUpLeft ? up : upLeft;
}
