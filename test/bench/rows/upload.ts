import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { StoredWorkflow, WorkflowFile } from '../../n8n/api.ts';
import { startFileServer, type FileServer } from '../../real-n8n/file-server.ts';
import { node, readFromDisk, saveChain, sendLetter, START, to } from '../../real-n8n/workflows.ts';
import { sandboxState } from '../../support/sandbox.ts';
import { afterRow } from '../clean-up.ts';
import { httpRequest, sandboxAccess } from '../n8n/http-request.ts';
import { addedMemory, MB } from '../n8n/memory.ts';
import { sharedN8n } from '../n8n/stack.ts';
import { defineRow } from '../row.ts';

type Node = WorkflowFile['nodes'][number];

const RECIPIENT = to('never@recipients.example');

/** What one large attachment costs n8n in memory. */
export const upload = defineRow({
	name: 'upload',
	peer: "n8n's HTTP Request node",
	lines: {
		upload: {
			what: "one attachment of 250 MB, memory over n8n's base",
			unit: 'MB',
			goal: 'ours',
			must: 32,
			aim: 16,
			note: "Peak of n8n's resident set from before the node until the end, n8n restarted for each.",
		},
	},
	rounds: 2,
	n8n: true,

	async start(short) {
		const { stack } = await sharedN8n();
		const gates = await startFileServer();
		afterRow(() => gates.close());
		const megabytes = short ? 5 : 250;
		const side = (sending: () => Promise<Node>) => async () => {
			const saved = async (size: number) => await saveUpload(gates, size, await sending());
			const plan = {
				// Loads and compiles code, and grows the heap to what a file needs.
				warmUp: short ? [await saved(1)] : [await saved(1), await saved(20)],
				measured: await saved(megabytes),
				restart: !short,
			};
			const added = await addedMemory(plan, (workflow, begin) => runUpload(gates, workflow, begin));
			const { messages } = await sandboxState(stack.sandbox);
			const arrived = messages.at(-1)?.attachments[0]?.size;
			if (arrived !== megabytes * MB) throw new Error(`${arrived} bytes arrived.`);
			await stack.sandbox.control.reset();
			return { upload: added };
		};
		return {
			ours: side(async () => sendLetter({ attachmentFields: 'data', ...RECIPIENT })),
			theirs: side(multipartRequest),
		};
	},
});

/** Stores a file in n8n's store on disk, waits at the gate, then sends it. */
async function saveUpload(
	gates: FileServer,
	megabytes: number,
	sending: Node,
): Promise<StoredWorkflow> {
	const { stack, files } = await sharedN8n();
	const file = join(files, `${megabytes}.pdf`);
	writeFileSync(
		file,
		Buffer.alloc(megabytes * MB, 'registered delivery, a page of a long contract. '),
	);
	const gate = node('Gate', 'n8n-nodes-base.httpRequest', 4.2, { url: gates.gateUrl, options: {} });
	const name = `${sending.type}, ${megabytes} MB`;
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
	gates: FileServer,
	workflow: StoredWorkflow,
	begin: () => Promise<void>,
): Promise<void> {
	const { stack } = await sharedN8n();
	const running = stack.api.run(workflow, { timeout: 600_000 });
	const letThrough = await Promise.race([gates.atGate(), running.then(() => null)]);
	if (letThrough) {
		await begin();
		letThrough();
	}
	const { status, error } = await running;
	if (status !== 'success') throw new Error(`"${workflow.name}" failed: ${error?.message}`);
}

async function multipartRequest(): Promise<Node> {
	const { stack } = await sharedN8n();
	const texts = {
		type: 'LS',
		body: '<p>Dear reader</p>',
		recipients: RECIPIENT.recipientsJson,
	};
	const fields = Object.entries(texts).map(([name, value]) => ({
		parameterType: 'formData',
		name,
		value,
	}));
	const file = {
		parameterType: 'formBinaryData',
		name: 'attachments[0]',
		inputDataFieldName: 'data',
	};
	return await httpRequest('Send Letter', await sandboxAccess(), {
		method: 'POST',
		url: `${stack.sandbox.url}/messages/bulk_send`,
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: { parameters: [file, ...fields] },
	});
}
