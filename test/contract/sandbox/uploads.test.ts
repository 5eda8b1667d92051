import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import os from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { accountOf, form, letter, send } from './client.ts';
import { ownSandbox } from './own.ts';

const MIB = 1024 * 1024;
const recipients = JSON.stringify(letter().recipients);

const sandbox = useSandbox({ automatic: false });

const place = mkdtempSync(join(os.tmpdir(), 'uploads-'));
afterAll(() => rmSync(place, { recursive: true }));

/** A sandbox, and where it puts uploads: in a temporary folder beside no other test's. */
async function sandboxAlone(): Promise<{ own: Sandbox; folder: string }> {
	const here = jest.spyOn(os, 'tmpdir').mockReturnValue(place);
	const own = await ownSandbox();
	here.mockRestore();
	const [name] = readdirSync(place);
	return { own, folder: join(place, name, 'uploads') };
}

const fields = (type: string): Array<[string, string]> => [
	['type', type],
	['body', '<p>Hello</p>'],
	['recipients', recipients],
];

/** Streams a multipart body with one file of so many bytes, without holding it. */
function upload(size: number): Promise<{ status: number; json: { data?: unknown } }> {
	const boundary = 'the-boundary';
	const part = (head: string) => `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
	const texts = fields('LS').map(([name, value]) => `${part(`name="${name}"`)}${value}\r\n`);
	const head = Buffer.from(texts.join('') + part('name="attachments"; filename="big.bin"'));
	const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
	return new Promise((resolve, reject) => {
		const outgoing = request(`${sandbox.url}/messages/bulk_send`, {
			method: 'POST',
			agent: false,
			ca: sandbox.caCertificate,
			headers: {
				'x-api-token': accountOf(sandbox, 'direct').token,
				'content-type': `multipart/form-data; boundary=${boundary}`,
				'content-length': head.length + size + tail.length,
			},
		});
		outgoing.on('error', reject);
		outgoing.on('response', async (incoming) => {
			let text = '';
			for await (const chunk of incoming) text += chunk;
			resolve({ status: incoming.statusCode ?? 0, json: JSON.parse(text) });
		});
		const chunk = Buffer.alloc(MIB, 'x');
		let left = size;
		const more = () => {
			while (left > 0) {
				const next = chunk.subarray(0, Math.min(left, MIB));
				left -= next.length;
				if (!outgoing.write(next)) return void outgoing.once('drain', more);
			}
			outgoing.end(tail);
		};
		outgoing.write(head);
		more();
	});
}

it('[SEND-09][S] keeps name, size and hash of files', async () => {
	const bytes = randomBytes(300_000);
	const files: Array<[string, File]> = [
		['attachments', new File([bytes], 'Rechnung März.pdf', { type: 'application/pdf' })],
		['attachments[1]', new File([], 'empty.txt')],
	];
	const { status, json } = await send(sandbox, form(...fields('LS'), ...files));
	expect(status).toBe(201);
	const { messages } = await sandbox.control('GET /state');
	const attachments = messages.find(({ id }) => id === json.messages[0].id)?.attachments;
	const sha256 = createHash('sha256').update(bytes).digest('hex');
	expect(attachments).toEqual([
		expect.objectContaining({ name: 'Rechnung März.pdf', size: 300_000, sha256 }),
		expect.objectContaining({ name: 'empty.txt', size: 0 }),
	]);
});

it.each(['AES', 'MT'])('[AES-02][S] %s takes one attachment, not two', async (type) => {
	const file = (name: string): [string, File] => ['attachments', new File(['x'], name)];
	expect((await send(sandbox, form(...fields(type), file('a')))).status).toBe(201);
	const { status, json } = await send(sandbox, form(...fields(type), file('a'), file('b')));
	expect(status).toBe(422);
	expect(json.data.errors).toEqual([expect.objectContaining({ field: 'attachments' })]);
});

it('[SEND-08][S] takes 250 MiB, refuses a byte more, and holds neither in memory', async () => {
	const before = process.memoryUsage().rss;
	expect((await upload(250 * MIB)).status).toBe(201);
	const { status, json } = await upload(250 * MIB + 1);
	expect(status).toBe(422);
	expect(json.data).toMatchObject({ errors: [{ field: 'attachments', rule: 'maxSize' }] });
	expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
});

it('removes the files of a refused request, and its folder when closed', async () => {
	const { own, folder } = await sandboxAlone();
	const refused = form(['type', 'LS'], ['attachments', new File(['x'], 'a')]);
	expect((await send(own, refused)).status).toBe(422);
	expect(readdirSync(folder)).toEqual([]);
	await send(own, form(...fields('LS'), ['attachments', new File(['x'], 'a')]));
	expect(readdirSync(folder)).toHaveLength(1);
	await own.close();
	expect(existsSync(folder)).toBe(false);
});

it('removes the files of a client that went away in mid-upload, and goes on', async () => {
	const { own, folder } = await sandboxAlone();
	const outgoing = request(`${own.url}/messages/bulk_send`, {
		method: 'POST',
		agent: false,
		ca: own.caCertificate,
		headers: {
			'x-api-token': accountOf(own, 'direct').token,
			'content-type': 'multipart/form-data; boundary=b',
			'content-length': 10 * MIB,
		},
	});
	outgoing.on('error', () => undefined);
	const head = 'Content-Disposition: form-data; name="attachments"; filename="a"';
	outgoing.write(`--b\r\n${head}\r\n\r\n${'x'.repeat(MIB)}`);
	const files = async (count: number) => {
		const deadline = Date.now() + 3000;
		while (readdirSync(folder).length !== count && Date.now() < deadline)
			await new Promise((resolve) => setTimeout(resolve, 5));
		return readdirSync(folder).length;
	};
	expect(await files(1)).toBe(1);
	outgoing.destroy();
	expect(await files(0)).toBe(0);
	expect((await send(own, form(...fields('LS')))).status).toBe(201);
	await own.close();
});
