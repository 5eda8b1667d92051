import type { StoredWorkflow } from '../../n8n/api.ts';
import { startFileServer } from '../../real-n8n/file-server.ts';
import { itemsFrom, node, saveChain, START } from '../../real-n8n/workflows.ts';
import { startStubService, type StubService } from '../../support/stub-service.ts';
import { afterRow } from '../clean-up.ts';
import { timeNodes } from '../n8n/executions.ts';
import { httpRequest } from '../n8n/http-request.ts';
import { addedMemory } from '../n8n/memory.ts';
import { sharedN8n } from '../n8n/stack.ts';
import { defineRow } from '../row.ts';

const WHAT = 'evidence of 1,000 letters, PDFs of 200 kB';

/** Many small files: request a link, then the file behind it. */
export const evidence = defineRow({
	name: 'evidence',
	peer: "n8n's HTTP Request node, once for the links and once for the files",
	lines: {
		'evidence/time': {
			what: WHAT,
			unit: 's',
			goal: 'ratio',
			must: 1.3,
			aim: 1.6,
			note: 'Time of the nodes alone, as n8n notes it.',
		},
		'evidence/memory': {
			what: WHAT,
			unit: 'MB',
			goal: 'ours',
			must: 64,
			aim: 32,
			note: "Peak of n8n's resident set over what it was before the run, after one like it since n8n restarted; all PDFs together have 200 MB.",
		},
	},
	rounds: 2,
	n8n: true,

	async start(short) {
		const letters = short ? 20 : 1_000;
		const files = await startFileServer();
		afterRow(() => files.close());
		const ids = Array.from({ length: letters }, (_, n) => ({ id: String(n).padStart(12, '0') }));
		const items = itemsFrom(files.offer(ids));
		const service = await startEvidenceService();
		const measured = (workflow: StoredWorkflow, nodes: string[]) => async () => {
			let seconds = 0;
			// As many to warm up: in its first run the heap grows to its working size.
			const plan = { warmUp: [workflow], measured: workflow, restart: !short };
			const memory = await addedMemory(plan, async (_, begin) => {
				await begin();
				seconds = await timeNodes(workflow, nodes, letters);
			});
			return { 'evidence/time': seconds, 'evidence/memory': memory };
		};
		return {
			ours: measured(await downloadEvidence(service, items), ['Download Evidence']),
			theirs: measured(await httpRequests(service, items), ['Link', 'File']),
		};
	},
});

/** The fastest possible service with evidence: the sandbox would generate each PDF. */
async function startEvidenceService(): Promise<StubService> {
	const service = await startStubService();
	afterRow(() => service.close());
	const pdf = Buffer.alloc(200_000, 'evidence ');
	pdf.write('%PDF-1.7\n');
	pdf.write('\n%%EOF\n', pdf.length - 7);
	service.answer = ({ path }) => {
		const [, resource, id] = path.split('/');
		if (resource === 'files') return { contentType: 'application/pdf', body: pdf };
		return { body: { url: `${service.url}/files/${id}` } };
	};
	return service;
}

type Node = ReturnType<typeof node>;

async function downloadEvidence(service: StubService, items: Node): Promise<StoredWorkflow> {
	const { stack } = await sharedN8n();
	const parameters = { operation: 'download', messageId: '={{ $json.id }}', eventType: 'SENT' };
	const type = 'n8n-nodes-registered-delivery.downloadEvidence';
	// No client certificate: neither side presents one.
	const credential = { ...service.credential, clientCertificate: '', clientKey: '' };
	const name = 'Download Evidence';
	return await saveChain(stack, name, [START, items, node(name, type, 1, parameters)], credential);
}

async function httpRequests(service: StubService, items: Node): Promise<StoredWorkflow> {
	const { stack } = await sharedN8n();
	const { apiToken, caCertificate } = service.credential as Record<string, string>;
	const access = { token: apiToken, ca: caCertificate };
	return await saveChain(stack, 'Evidence by HTTP Request', [
		START,
		items,
		await httpRequest('Link', access, {
			url: `=${service.url}/messages/{{ $json.id }}/evidences/SENT`,
		}),
		await httpRequest('File', access, {
			authentication: 'none',
			url: '={{ $json.url }}',
			options: { response: { response: { responseFormat: 'file' } } },
		}),
	]);
}
