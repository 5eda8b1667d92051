// What a letter's files lean on: that n8n's request helper, and axios under it, stream them. It is duck typing
// there, so a new version of n8n may break it silently.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { INodeType } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { sendLetters } from '../support/letters.ts';
import { useBinaryStore } from '../support/n8n-core.ts';
import { sandboxState } from '../support/sandbox.ts';
import { sendLetterWith } from './nodes.ts';
import { runAt, useStrictSandbox, useStub } from './services.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const stub = useStub();
const sandbox = useStrictSandbox();
beforeAll(useBinaryStore);

const file = {
	name: 'contract.pdf',
	type: 'application/pdf',
	content: Buffer.from('the whole file'),
};
const withFile = {
	parameters: { attachmentFields: 'data' },
	items: [{ json: { email: 'ada@x.example' }, files: { data: file } }],
};

/** Send Letter whose file is as large as said, and read from there. */
function reading(size: number, open: () => AsyncIterable<Uint8Array>): INodeType {
	return sendLetterWith((helpers) => {
		helpers.getBinaryMetadata = async () => ({ fileSize: size });
		helpers.getBinaryStream = async () => Readable.from(open());
	});
}

it('[SEND-08][SEND-09][N] any files, whatever their names and bytes, arrive byte for byte', async () => {
	const text = fc
		.array(fc.constantFrom(...'"\\\r\n\t;=é😀 ', '%22', '--', '"; filename="evil.exe'), {
			maxLength: 9,
		})
		.map((pieces) => `a${pieces.join('')}.pdf`);
	const contents = fc.oneof(
		fc.uint8Array({ minLength: 1, maxLength: 2 * KIB }),
		fc.constantFrom(
			Buffer.from('\r\n--form-data-boundary-\r\n'),
			Buffer.from('\r\n----\r\n\r\n--'),
			Buffer.alloc(200 * KIB, '\r\n-'),
		),
	);
	const files = fc.array(fc.record({ name: text, content: contents }), {
		minLength: 1,
		maxLength: 4,
	});
	await fc.assert(
		fc.asyncProperty(files, async (given) => {
			// One that is the same goes out once.
			const named = given.map(({ name, content }, n) => [
				`file${n}`,
				{ name: `${n}${name}`, type: 'application/pdf', content: Buffer.from(content) },
			]);
			const before = (await sandboxState(sandbox)).messages.map(({ id }) => id);
			const { error } = await runAt(
				sandbox,
				new SendLetter(),
				{
					type: 'LS',
					body: '<p>Dear reader</p>',
					recipientsFrom: 'json',
					recipientsJson: { email: 'ada@x.example', firstname: 'A', lastname: 'B' },
					attachmentFields: named.map(([field]) => field).join(),
				},
				{ items: [{ files: Object.fromEntries(named) as Record<string, typeof file> }] },
			);
			expect(error).toBeUndefined();
			const { messages } = await sandboxState(sandbox);
			const [letter, ...others] = messages.filter(({ id }) => !before.includes(id));
			expect(others).toEqual([]);
			const arrived = letter.attachments;
			expect(arrived.map(({ name, size, sha256 }) => ({ name, size, sha256 }))).toEqual(
				given.map(({ name, content }, n) => ({
					// What would end a header or lead to another folder (n8n itself takes away what stands before a slash); the quote is escaped as browsers do.
					name: `${n}${name}`.replace(/[\p{Cc}\\]/gu, '_').replaceAll('"', '%22'),
					size: content.length,
					sha256: createHash('sha256').update(content).digest('hex'),
				})),
			);
		}),
		{ numRuns: 25 },
	);
});

it('[SEND-08][N] a file is read as fast as the peer reads it, and no faster', async () => {
	const size = 128 * MIB;
	const chunk = Buffer.alloc(64 * KIB, 'x');
	let taken = 0;
	const node = reading(size, async function* () {
		for (; taken < size; taken += chunk.length) yield chunk;
	});
	// It never reads.
	stub.earlyAnswer = () => ({ cutAt: 0, stalls: true });
	let stop = () => {};
	const sent = sendLetters(stub.credential, {
		...withFile,
		node,
		onStart: (given) => (stop = given),
	});
	for (let last = -1; taken !== last || taken === 0; await sleep(250)) last = taken;
	// Ahead of the peer is what the system's buffers of both ends hold, and a chunk or two.
	expect(taken).toBeLessThan(32 * MIB);
	stop();
	await sent;
});

it('[SEND-08][N] a file that cannot be read to its end fails the letter, and the peer gets no whole form', async () => {
	const node = reading(8, async function* () {
		yield Buffer.from('half');
		throw new Error('the store is gone');
	});
	const { error } = await sendLetters(stub.credential, { ...withFile, node });
	expect(error?.message).toContain('the store is gone');
	expect(stub.requests.filter(({ complete }) => complete)).toEqual([]);
});

// n8n itself would repeat it.
it('[SEND-08][N] a request that is answered 401 goes out once', async () => {
	stub.answer = () => ({ status: 401, body: { message: 'No', code: 'unauthorized' } });
	const { error } = await sendLetters(stub.credential, withFile);
	expect(error).toBeDefined();
	expect(stub.requests).toHaveLength(1);
});
