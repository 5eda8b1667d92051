import { crc32, deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';

import { choosePalette } from '../../browser/palette.ts';
import { inFewerBytes, readPng } from '../../browser/png.ts';

/** As browsers write them; every line with the filter of its number, in turn. */
function browserPng(width: number, channels: 3 | 4, colours: number[]): Buffer {
	const lineBytes = width * channels;
	const height = colours.length / width;
	const raw = Buffer.alloc(lineBytes * height, 255);
	colours.forEach((colour, pixel) => raw.writeUIntBE(colour, pixel * channels, 3));
	const lines = Buffer.alloc((lineBytes + 1) * height);
	for (let y = 0; y < height; y++) {
		const filter = y % 5;
		lines[y * (lineBytes + 1)] = filter;
		for (let x = 0; x < lineBytes; x++) {
			const at = y * lineBytes + x;
			const a = x < channels ? 0 : raw[at - channels];
			const b = y === 0 ? 0 : raw[at - lineBytes];
			const c = x < channels || y === 0 ? 0 : raw[at - lineBytes - channels];
			const p = a + b - c;
			const nearest = [a, b, c].sort((one, other) => Math.abs(p - one) - Math.abs(p - other))[0];
			const foretold = [0, a, b, Math.floor((a + b) / 2), nearest][filter];
			lines[y * (lineBytes + 1) + 1 + x] = raw[at] - foretold;
		}
	}
	const header = Buffer.alloc(13);
	header.writeUInt32BE(width, 0);
	header.writeUInt32BE(height, 4);
	header.set([8, channels === 3 ? 2 : 6], 8);
	// Browsers cut the data into several chunks.
	const data = deflateSync(lines);
	const [first, second] = [data.subarray(0, 7), data.subarray(7)];
	return Buffer.concat([
		Buffer.from('89504e470d0a1a0a', 'hex'),
		...[
			{ type: 'IHDR', content: header },
			{ type: 'IDAT', content: first },
			{ type: 'IDAT', content: second },
			{ type: 'IEND', content: Buffer.alloc(0) },
		].map(({ type, content }) => chunk(type, content)),
	]);
}

function chunk(type: string, content: Buffer): Buffer {
	const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
	size.writeUInt32BE(content.length);
	const body = Buffer.concat([Buffer.from(type), content]);
	sum.writeUInt32BE(crc32(body));
	return Buffer.concat([size, body, sum]);
}

/** The colours of a picture with a palette, read without our own code. */
function indexedColours(png: Buffer): number[] {
	const at = (type: string) => png.indexOf(type) + 4;
	const part = (type: string) => png.subarray(at(type), at(type) + png.readUInt32BE(at(type) - 8));
	const width = part('IHDR').readUInt32BE(0);
	const lines = inflateSync(part('IDAT'));
	const palette = part('PLTE');
	return [...lines].flatMap((index, n) =>
		n % (width + 1) === 0 ? [] : [palette.readUIntBE(index * 3, 3)],
	);
}

const colour = fc.integer({ min: 0, max: 0xffffff });
const picture = fc
	.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 12 }))
	.chain(([width, height]) =>
		fc.tuple(
			fc.constant(width),
			fc.array(colour, { minLength: width * height, maxLength: width * height }),
		),
	);

it('reads every filter, and keeps each colour if there are no more than 256', () => {
	fc.assert(
		fc.property(picture, fc.constantFrom(3 as const, 4 as const), ([width, colours], channels) => {
			const png = browserPng(width, channels, colours);
			expect(readPng(png)).toMatchObject({ width, pixels: Uint32Array.from(colours) });
			expect(indexedColours(inFewerBytes(png))).toEqual(colours);
		}),
	);
});

it('of more colours, keeps the frequent ones exactly and the others nearly', () => {
	const background = Array.from({ length: 5000 }, () => 0xf5f3ee);
	const greys = Array.from({ length: 4096 }, (_, n) => (n >> 4) * 0x010101);
	const blues = Array.from({ length: 256 }, (_, n) => n);
	const { colours, indexOf } = choosePalette(
		Uint32Array.from([...background, ...greys, ...blues]),
		64,
	);
	expect(colours).toHaveLength(64);
	expect(colours[indexOf.get(0xf5f3ee) ?? -1]).toBe(0xf5f3ee);
	const apart = (one: number, other: number) =>
		Math.max(...[16, 8, 0].map((n) => Math.abs(((one >> n) & 255) - ((other >> n) & 255))));
	const far = [...indexOf].filter(([original, index]) => apart(original, colours[index]) > 20);
	expect(far).toEqual([]);
});

it('refuses what no browser writes', () => {
	expect(() => readPng(Buffer.from('GIF89a..'))).toThrow('Not a PNG.');
	const palette = inFewerBytes(browserPng(1, 3, [0]));
	expect(() => readPng(palette)).toThrow('colour type 3');
});
