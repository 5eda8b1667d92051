// Evidence from hosts that nobody thought of: PDFs with anything before, between and behind, changed later or
// prepared for the web, announced rightly, wrongly or not at all, compressed or said to be, cut at any byte. What
// was whole is kept byte for byte; what was cut is never kept as whole without being told.
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

import { DownloadEvidence } from '../../nodes/DownloadEvidence/DownloadEvidence.node.ts';
import { binaryContent } from '../support/binary.ts';
import { runNode, useBinaryStore } from '../support/n8n-core.ts';
import { tenfoldAtNight } from '../support/ring.ts';
import type * as Pauses from '../support/short-pauses.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { useStub } from './services.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

const stub = useStub();
beforeAll(useBinaryStore);

const world = fc.record({
	file: fc.record({
		front: fc.oneof(
			fc.constantFrom(
				'',
				'\r\n',
				'\xef\xbb\xbf',
				' ',
				'--part\r\nContent-Type: application/pdf\r\n\r\n',
			),
			fc.nat(1000).map((bytes) => 'x'.repeat(bytes)),
		),
		isForWeb: fc.boolean(),
		/** Bytes of each version. */
		versions: fc.array(fc.nat(3000), { minLength: 1, maxLength: 3 }),
		between: fc.constantFrom('', '\n', '\0\0', '\n% signed\n'),
		behind: fc.oneof(
			fc.constantFrom('', '\n', '\r\n', '\n% a comment', 'PK\x03\x04'),
			fc.nat(3000).map((bytes) => '\0'.repeat(bytes)),
			fc.nat(3000).map((bytes) => ' '.repeat(bytes)),
			fc.integer({ min: 1025, max: 3000 }).map((bytes) => `\n%${'c'.repeat(bytes)}`),
		),
	}),
	ends: fc.constantFrom('length', 'chunks', 'close'),
	encoding: fc.constantFrom('identity', 'identity', 'gzip', 'not gzip'),
	/** Added to the length that the host announces. */
	lie: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: -2000, max: 2000 })),
	cut: fc.option(
		fc.record({
			/** So much of all bytes; or behind a version, and so many bytes of what follows. */
			place: fc.oneof(
				fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }) }),
				fc.record({ version: fc.nat(2), bytes: fc.constantFrom(0, 1, 40) }),
			),
			/** Before the host gets the file, or on its way from there. */
			where: fc.constantFrom('before', 'after'),
			rst: fc.boolean(),
			tries: fc.constantFrom(1, 2, Infinity),
		}),
	),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** The file, and where each of its versions ends. */
function build({ front, isForWeb, versions, between, behind }: World['file']) {
	const ends: number[] = [];
	let text = '%PDF-1.7\n';
	const add = (bytes: number, offset?: number) => {
		const table = text.length + bytes;
		text += `${'o'.repeat(bytes)}\nxref\ntrailer\nstartxref\n${offset ?? table}\n%%EOF`;
	};
	if (isForWeb) {
		text += '1 0 obj\n<</Linearized 1/L 00000000/O 3>>\nendobj\n';
		add(versions[0], 0);
	}
	for (const bytes of versions) {
		if (text.includes('%%EOF')) text += between;
		add(bytes);
		if (isForWeb && ends.length === 0)
			text = text.replace('00000000', String(text.length).padStart(8, '0'));
		ends.push(front.length + text.length);
	}
	return { bytes: Buffer.from(front + text + behind, 'latin1'), ends };
}

/** About how many bytes stand before the body. */
const HEADERS = 150;

/** What the host answers at a try, counted from 1. */
function answerOf(
	{ ends, encoding, lie, cut }: World,
	file: ReturnType<typeof build>,
	count: number,
): StubAnswer {
	const cutNow = cut !== null && count <= cut.tries ? cut : null;
	const place = (all: number) => {
		if (cutNow === null) return Infinity;
		if ('share' in cutNow.place) return Math.floor(cutNow.place.share * all);
		return file.ends[cutNow.place.version % file.ends.length] + cutNow.place.bytes;
	};
	const had =
		cutNow?.where === 'before' ? file.bytes.subarray(0, place(file.bytes.length)) : file.bytes;
	const coded = encoding === 'gzip' ? gzipSync(had) : had;
	const body = ends === 'chunks' ? inChunks(coded) : coded;
	const headers = {
		'content-length': ends === 'length' ? String(Math.max(0, coded.length + lie)) : null,
		...(ends === 'chunks' && { 'transfer-encoding': 'chunked' }),
		...(encoding !== 'identity' && { 'content-encoding': 'gzip' }),
	};
	const cutAt = cutNow?.where === 'after' ? HEADERS + place(body.length) : Infinity;
	return { contentType: 'application/pdf', headers, body, cutAt, rst: cutNow?.rst };
}

function inChunks(bytes: Buffer): Buffer {
	const parts: Buffer[] = [];
	for (let at = 0; at < bytes.length; at += 1000) {
		const chunk = bytes.subarray(at, at + 1000);
		parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
	}
	return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

async function download(one: World, file: ReturnType<typeof build>) {
	let count = 0;
	stub.answer = ({ path }) =>
		path === '/pdf' ? answerOf(one, file, ++count) : { body: { url: `${stub.url}/pdf` } };
	const { items, error } = await runNode(new DownloadEvidence(), {
		parameters: { operation: 'download', messageId: '000000000001', eventType: 'SENT' },
		credentials: { registeredDeliveryApi: stub.credential },
	});
	return { error, kept: error ? null : await binaryContent(items[0].binary!.data) };
}

const TOLD =
	/failed \(ECONNRESET\)|failed\.$|incomplete PDF|nothing else shows|did not return a PDF|cannot be decompressed/;

/** Whether a host that tells the truth at its last tries gives all it takes to know that the file is whole. */
function mustBeKept(
	{ file: { front, behind }, ends, encoding, lie, cut }: World,
	told: string,
): boolean {
	// What is cut before the header looks like something else, which is not asked for again.
	if (cut !== null && front !== '' && told.includes('did not return a PDF')) return false;
	const isHonest =
		encoding !== 'not gzip' && (lie === 0 || ends !== 'length') && cut?.tries !== Infinity;
	const hasProperEnd = /^[\0\s]*$/.test(behind);
	return isHonest && (hasProperEnd || (ends === 'length' && encoding === 'identity'));
}

/** Whether a part may pass: the host's own length says that it is all, or it is an earlier version as a whole. */
function mayPass(one: World, { bytes, ends }: ReturnType<typeof build>, kept: Buffer): boolean {
	const isPart = bytes.subarray(0, kept.length).equals(kept);
	const isHostsWord = one.ends === 'length' && one.encoding === 'identity';
	const isVersion = ends.some(
		(end) => end <= kept.length && /^[\0\s]*$/.test(kept.subarray(end).toString('latin1')),
	);
	return isPart && (isHostsWord || isVersion);
}

it(
	'[EVID-03][N] what was whole is kept byte for byte, what was cut never as whole without being told',
	async () => {
		const seen = { kept: 0, told: 0, passed: 0 };
		await fc.assert(
			fc.asyncProperty(world, async (one) => {
				const file = build(one.file);
				const { kept, error } = await download(one, file);
				if (kept === null) {
					seen.told++;
					expect(error?.description).toMatch(TOLD);
					expect(mustBeKept(one, error?.description ?? '')).toBe(false);
				} else if (kept.equals(file.bytes)) seen.kept++;
				else {
					seen.passed++;
					expect(mayPass(one, file, kept)).toBe(true);
				}
			}),
			{ numRuns: tenfoldAtNight(120), seed: Number(process.env.SEED ?? 7) },
		);
		for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
	},
	tenfoldAtNight(120_000),
);
