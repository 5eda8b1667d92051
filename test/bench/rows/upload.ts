import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { StoredWorkflow } from '../../n8n/api.ts';
import type { Stack } from '../../n8n/stack.ts';
import { fileChunks, startFileServer, type FileServer } from '../../real-n8n/file-server.ts';
import { node, readFromDisk, saveChain, sendLetter, START, to } from '../../real-n8n/workflows.ts';
import { control, sandboxState } from '../../support/sandbox.ts';
import type { Benchmark } from '../benchmark.ts';
import { serviceRequest } from '../n8n-letters.ts';
import { addedMemory, MB } from '../n8n-memory.ts';
import { n8nStack } from '../n8n-stack.ts';
import { rounds } from '../rounds.ts';

const RECIPIENT = 'never@recipients.example';

type Node = StoredWorkflow['nodes'][number];

/** What one large attachment costs n8n in memory. */
export const benchmark: Benchmark = {
	name: 'upload',

	async measure({ short, report }) {
		const { stack, files: folder } = await n8nStack();
		const gates = await startFileServer();
		const megabytes = short ? 5 : 250;
		// Twice to warm up: the code is loaded and compiled, and the heap has grown to what a file needs.
		const sizes = short ? [1] : [1, 20];
		const files = new Map<number, string>();
		try {
			for (const size of [...sizes, megabytes]) {
				const file = join(folder, `${size}.pdf`);
				await pipeline(Readable.from(fileChunks(size * MB)), createWriteStream(file));
				files.set(size, file);
			}
			const side = (name: string, sending: () => Promise<Node>) => async () => {
				const saved = async (size: number) =>
					await saveUpload(
						stack,
						gates,
						`${name}, ${size} MB`,
						files.get(size) ?? '',
						await sending(),
					);
				const plan = {
					warmUp: await Promise.all(sizes.map(saved)),
					measured: await saved(megabytes),
					anew: !short,
				};
				const run = async (workflow: StoredWorkflow, begin: () => Promise<void>) =>
					await runUpload(stack, gates, workflow, begin);
				const added = await addedMemory(stack, plan, run);
				const { messages } = await sandboxState(stack.sandbox);
				const arrived = messages.at(-1)?.attachments[0]?.size;
				if (arrived !== megabytes * MB) throw new Error(`${arrived} bytes arrived.`);
				await control(stack.sandbox, 'POST', '/reset');
				report(`${name}: ${added.toFixed(1)} MB more`);
				return added;
			};
			const ours = side('Send Letter', async () =>
				sendLetter({ attachmentFields: 'data', ...to(RECIPIENT) }),
			);
			const theirs = side('HTTP Request', async () => await multipartRequest(stack));
			return [
				{
					name: 'upload',
					what: `one attachment of ${megabytes} MB, memory over n8n's base`,
					against: "n8n's HTTP Request node",
					...(await rounds(short ? 1 : 3, ours, theirs, 'less')),
					unit: 'MB',
					must: { kind: 'max', value: 32, of: 'ours' },
					aim: { kind: 'max', value: 16, of: 'ours' },
					note: "Peak of n8n's resident set from before the node until the end, n8n started anew for each.",
				},
			];
		} finally {
			for (const file of files.values()) await rm(file, { force: true });
			await gates.close();
		}
	},
};

/** Takes a file into n8n's store on disk, waits at the gate, then sends it. */
async function saveUpload(
	stack: Stack,
	gates: FileServer,
	name: string,
	file: string,
	sending: Node,
): Promise<StoredWorkflow> {
	const gate = node('Gate', 'n8n-nodes-base.httpRequest', 4.2, { url: gates.gateUrl, options: {} });
	const workflow = await saveChain(stack, name, [START, readFromDisk(file), sending]);
	// Two branches from one output: n8n runs the upper one to its end before the other.
	const [, , placed] = workflow.nodes;
	placed.position = [440, 200];
	gate.position = [440, -200];
	const branches = [gate, placed].map((one) => ({ node: one.name, type: 'main', index: 0 }));
	return await stack.api.saveWorkflow({
		...workflow,
		nodes: [...workflow.nodes, gate],
		connections: { ...workflow.connections, Read: { main: [branches] } },
	});
}

async function runUpload(
	{ api }: Stack,
	gates: FileServer,
	workflow: StoredWorkflow,
	begin: () => Promise<void>,
): Promise<void> {
	const running = api.run(workflow, { timeout: 600_000 });
	const letThrough = await Promise.race([gates.atGate(), running.then(() => null)]);
	if (letThrough) {
		await begin();
		letThrough();
	}
	const { status, error } = await running;
	if (status !== 'success') throw new Error(`"${workflow.name}" failed: ${error?.message}`);
}

async function multipartRequest(stack: Stack): Promise<Node> {
	const fields = {
		type: 'LS',
		body: '<p>Dear reader</p>',
		recipients: to(RECIPIENT).recipientsJson,
	};
	return await serviceRequest(stack, 'Send Letter', {
		method: 'POST',
		url: `${stack.sandbox.url}/messages/bulk_send`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [
				{ parameterType: 'formBinaryData', name: 'attachments[0]', inputDataFieldName: 'data' },
				...Object.entries(fields).map(([name, value]) => ({
					parameterType: 'formData',
					name,
					value,
				})),
			],
		},
		options: {},
	});
}
