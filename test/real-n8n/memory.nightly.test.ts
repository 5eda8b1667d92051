import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { StoredWorkflow } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startFileServer, type FileServer } from './file-server.ts';
import { residentMemory, resetPeak } from '../support/memory.ts';
import { sandboxState } from '../support/sandbox.ts';
import { node, readFromDisk, saveChain, sendLetter, START, to } from './workflows.ts';

jest.setTimeout(180_000);

const MB = 1024 * 1024;

/**
 * How much a send may add to n8n's peak. Collecting the file in memory first, as n8n's own HTTP
 * Request node does while it follows redirects, adds at least about 200 MB.
 */
const ALLOWED_MB = 32;

let stack: Stack;
let files: FileServer;

beforeAll(async () => {
	files = await startFileServer();
	// An n8n of its own has no memory of other tests.
	stack = await startTemporaryStack({ n8nEnv: {} });
}, 300_000);

afterAll(async () => {
	await stack?.close();
	await files?.close();
}, 120_000);

it('[SEND-08][N] sends 200 MB with at most 32 MB more memory', async () => {
	// Two warm-ups: they load and compile the code, and grow the heap to what a file needs.
	for (const bytes of [1 * MB, 20 * MB]) await measure(await workflowFor(bytes), bytes);
	const { before, peak } = await measure(await workflowFor(200 * MB), 200 * MB);
	const added = (peak - before) / MB;
	console.info(
		`200 MB sent: n8n ${Math.round(before / MB)} MB before, ${Math.round(peak / MB)} MB at the peak, ${added.toFixed(1)} MB more`,
	);
	expect(added).toBeLessThanOrEqual(ALLOWED_MB);
});

/** Takes a file into n8n's store on disk, waits at the gate, then sends the letter with it. */
async function workflowFor(bytes: number): Promise<StoredWorkflow> {
	const gate = node('Gate', 'n8n-nodes-base.httpRequest', 4.2, { url: files.gateUrl, options: {} });
	const workflow = await saveChain(stack, `A letter with ${bytes} bytes`, [
		START,
		readFromDisk(await fileOf(bytes)),
		sendLetter({ attachmentFields: 'data', ...to('never@recipients.example') }),
	]);
	// Two branches from one output: n8n runs the upper one to its end before the other.
	const [, read, sending] = workflow.nodes;
	read.position = [220, 0];
	sending.position = [440, 200];
	gate.position = [440, -200];
	const branches = [gate, sending].map(({ name }) => ({ node: name, type: 'main', index: 0 }));
	return await stack.api.saveWorkflow({
		...workflow,
		nodes: [...workflow.nodes, gate],
		connections: { ...workflow.connections, Read: { main: [branches] } },
	});
}

async function fileOf(bytes: number): Promise<string> {
	const file = join(stack.n8n.filesFolder, `${bytes}.pdf`);
	const block = Buffer.alloc(MB, 'a page of a long contract. ');
	await pipeline(Readable.from(Array(bytes / MB).fill(block)), createWriteStream(file));
	return file;
}

/** Runs the workflow and measures n8n's resident memory from the gate to the end. */
async function measure(workflow: StoredWorkflow, bytes: number) {
	const { pid } = stack.n8n;
	const running = stack.api.run(workflow, { timeout: 150_000 });
	const letThrough = await Promise.race([files.atGate(), running.then(() => null)]);
	if (!letThrough) throw new Error(`The workflow ended early: ${JSON.stringify(await running)}`);
	await resetPeak(pid);
	const before = await residentMemory(pid, 'VmRSS');
	letThrough();
	const { status, error } = await running;
	expect({ status, error }).toEqual({ status: 'success', error: null });
	const peak = await residentMemory(pid, 'VmHWM');
	const { messages } = await sandboxState(stack.sandbox);
	expect(messages.at(-1)?.attachments).toMatchObject([{ size: bytes }]);
	return { before, peak };
}
