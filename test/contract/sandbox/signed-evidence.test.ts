// Evidences as a validator of signed PDFs sees them; openssl judges, which had no part in signing.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { advance, call, person, sendOne, stateOf } from './client.ts';
import { ownSandbox } from './own.ts';

const run = promisify(execFile);
const YEAR = 365 * 86_400_000;

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'signed-evidence-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function evidence(sandbox: Sandbox, id: string, eventType = 'SENT'): Promise<Buffer> {
	const { json } = await call(sandbox, `/messages/${id}/evidences/${eventType}`);
	return (await call(sandbox, json.url, { as: null })).bytes;
}

/** The parts of a signed PDF (ISO 32000-1, 12.8.1). */
function dissect(pdf: Buffer) {
	const text = pdf.toString('latin1');
	const [, ...numbers] = /\/ByteRange \[(\d+) (\d+) (\d+) (\d+) *\]/.exec(text) ?? [];
	const [from = -1, length = -1, after = -1, rest = -1] = numbers.map(Number);
	return {
		text,
		range: { from, length, after, rest },
		signature: Buffer.from(text.slice(length + 1, after - 1), 'hex'),
		content: Buffer.concat([pdf.subarray(from, from + length), pdf.subarray(after, after + rest)]),
	};
}

/** What openssl says of the signature, as CAdES, with only the given authority trusted. */
async function verify(pdf: Buffer, authority: string): Promise<string> {
	const at = (file: string) => join(folder, file);
	const { signature, content } = dissect(pdf);
	await Promise.all([
		writeFile(at('signature.der'), signature),
		writeFile(at('content'), content),
		writeFile(at('ca.pem'), authority),
	]);
	const files = ['-in', at('signature.der'), '-content', at('content'), '-CAfile', at('ca.pem')];
	const how = ['-cades', '-binary', '-inform', 'DER', '-purpose', 'any', '-out', at('verified')];
	const said = await run('openssl', ['cms', '-verify', ...how, ...files]).catch(
		(error: { stderr: string }) => error,
	);
	return said.stderr;
}

const VALID = 'CAdES Verification successful';

it('is signed over the whole file, by a chain that ends at /_sandbox/ca.pem', async () => {
	const sandbox = await ownSandbox();
	const id = await sendOne(sandbox, {});
	const pdf = await evidence(sandbox, id);
	const { text, range } = dissect(pdf);
	expect(text).toContain('/SubFilter /ETSI.CAdES.detached');
	expect(range).toMatchObject({ from: 0, rest: pdf.length - range.after });
	// What is left out is the signature's own text, brackets and all.
	expect(text.slice(range.length, range.after)).toMatch(/^<[0-9a-f]+>$/);
	const authority = await (await fetch(`${sandbox.pageUrl}/_sandbox/ca.pem`)).text();
	expect(await verify(pdf, authority)).toContain(VALID);

	const other = await ownSandbox();
	expect(await verify(pdf, other.caCertificate)).toContain('certificate verify error');
});

it.each(['the first byte', 'what it says', 'its last byte'])(
	'shows a change of %s',
	async (what) => {
		const sandbox = await ownSandbox();
		const pdf = await evidence(sandbox, await sendOne(sandbox, {}));
		expect(await verify(pdf, sandbox.caCertificate)).toContain(VALID);
		const at = { 'the first byte': 0, 'its last byte': pdf.length - 1 }[what];
		const changed = at ?? pdf.indexOf('stream') + 20;
		pdf[changed] = (pdf[changed] ?? 0) ^ 1;
		expect(await verify(pdf, sandbox.caCertificate)).toContain(
			'CMS_SignerInfo_verify_content:verification failure',
		);
	},
);

it('has the time of the event, no other, and is the same file whenever it is asked for', async () => {
	const sandbox = await ownSandbox();
	const id = await sendOne(sandbox, { type: 'LRE', ...person('ada') }, { certificate: true });
	await advance(sandbox, YEAR);
	const { messages } = await stateOf(sandbox);
	const { history } = messages.find((message: { id: string }) => message.id === id);
	const [sent, expired] = [await evidence(sandbox, id), await evidence(sandbox, id, 'EXPIRED')];
	const timeOf = (pdf: Buffer) => /\/M \(D:(\d{14})Z\)/.exec(pdf.toString('latin1'))?.[1];
	expect([sent, expired].map(timeOf)).toEqual(
		history.map(({ at }: { at: string }) => at.replaceAll(/\D/g, '').slice(0, 14)),
	);
	expect(await evidence(sandbox, id)).toEqual(sent);
	expect(await verify(sent, sandbox.caCertificate)).toContain(VALID);
});

it('is the same file after a restart, and under many requests at once', async () => {
	const kept = { folder: join(folder, 'kept') };
	const first = await ownSandbox(kept);
	const id = await sendOne(first, {});
	const together = await Promise.all([1, 2, 3].map(() => evidence(first, id)));
	expect(new Set(together.map((pdf) => pdf.toString('hex'))).size).toBe(1);
	await first.close();
	const second = await ownSandbox(kept);
	expect(await evidence(second, id)).toEqual(together[0]);
});
