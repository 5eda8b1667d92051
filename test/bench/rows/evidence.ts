import type { StoredWorkflow } from '../../n8n/api.ts';
import type { Stack } from '../../n8n/stack.ts';
import { startFileServer, type FileServer } from '../../real-n8n/file-server.ts';
import { itemsFrom, node, saveChain, START } from '../../real-n8n/workflows.ts';
import type { Benchmark } from '../benchmark.ts';
import { startEvidenceService, type EvidenceService } from '../n8n-evidence.ts';
import { addedMemory } from '../n8n-memory.ts';
import { timeNodes } from '../n8n-run.ts';
import { n8nStack } from '../n8n-stack.ts';
import { rounds } from '../rounds.ts';

const BYTES = 200_000;

/** A workflow, and the nodes of it that count. */
interface Side {
	name: string;
	nodes: string[];
	save(letters: number): Promise<StoredWorkflow>;
}

/** Many small files: a link is asked for, then the file behind it. */
export const benchmark: Benchmark = {
	name: 'evidence',

	async measure({ short, report }) {
		const { stack } = await n8nStack();
		const files = await startFileServer();
		const service = await startEvidenceService(BYTES);
		try {
			const letters = short ? 20 : 1000;
			const ours = downloadEvidence(stack, files, service);
			const theirs = httpRequests(stack, files, service);

			const time = async (side: Side) => {
				const workflow = await side.save(letters);
				const run = async () => {
					const { seconds, items } = await timeNodes(stack, workflow, side.nodes);
					if (items !== letters) throw new Error(`${side.name} gave ${items} files.`);
					report(`${side.name}: ${seconds.toFixed(2)} s`);
					return seconds;
				};
				if (!short) await run();
				return run;
			};
			const memory = (side: Side) => async () => {
				const plan = {
					// As many: what the first run takes is the heap growing to its working size.
					warmUp: [await side.save(letters)],
					measured: await side.save(letters),
					anew: !short,
				};
				const added = await addedMemory(stack, plan, async (workflow, begin) => {
					await begin();
					await timeNodes(stack, workflow, side.nodes);
				});
				report(`${side.name}: ${added.toFixed(1)} MB more`);
				return added;
			};
			const row = {
				what: `evidence of ${letters} letters, PDFs of ${BYTES / 1000} kB`,
				against: "n8n's HTTP Request node, once for the links and once for the files",
			};
			return [
				{
					...row,
					name: 'evidence/time',
					...(await rounds(short ? 1 : 5, await time(ours), await time(theirs), 'less')),
					unit: 's',
					must: { kind: 'min', value: 1, of: 'ratio' },
					aim: { kind: 'min', value: 1.5, of: 'ratio' },
					note: 'Time of the nodes alone, as n8n notes it.',
				},
				{
					...row,
					name: 'evidence/memory',
					...(await rounds(short ? 1 : 3, memory(ours), memory(theirs), 'less')),
					unit: 'MB',
					must: { kind: 'max', value: 64, of: 'ours' },
					aim: { kind: 'max', value: 32, of: 'ours' },
					note: "Peak of n8n's resident set over what it was before the run, after one like it since n8n started anew; all PDFs together have 200 MB.",
				},
			];
		} finally {
			await service.close();
			await files.close();
		}
	},
};

function downloadEvidence(stack: Stack, files: FileServer, service: EvidenceService): Side {
	const name = 'Download Evidence';
	const { url: baseUrl, caCertificate } = service;
	// No certificate of a client: neither side presents one.
	const credential = { baseUrl, caCertificate, clientCertificate: '', clientKey: '' };
	const parameters = { operation: 'download', messageId: '={{ $json.id }}', eventType: 'SENT' };
	const type = 'n8n-nodes-registered-delivery.downloadEvidence';
	return {
		name,
		nodes: [name],
		save: async (letters) =>
			await saveChain(
				stack,
				`${name} of ${letters}`,
				[START, itemsFrom(files.itemsUrl(ids(letters))), node(name, type, 1, parameters)],
				credential,
			),
	};
}

function httpRequests(stack: Stack, files: FileServer, service: EvidenceService): Side {
	const request = async (name: string, parameters: object) => {
		const { api } = stack;
		const token = { name: 'X-API-TOKEN', value: 'token-of-the-benchmark' };
		const credentials = {
			httpHeaderAuth: {
				id: await api.saveCredential('Token of the evidence', 'httpHeaderAuth', token),
				name: 'Token of the evidence',
			},
			httpSslAuth: {
				id: await api.saveCredential('Authority of the evidence', 'httpSslAuth', {
					ca: service.caCertificate,
				}),
				name: 'Authority of the evidence',
			},
		};
		const all = { provideSslCertificates: true, ...parameters };
		return node(name, 'n8n-nodes-base.httpRequest', 4.2, all, { credentials });
	};
	return {
		name: 'HTTP Request',
		nodes: ['Link', 'File'],
		save: async (letters) =>
			await saveChain(stack, `HTTP Request of ${letters}`, [
				START,
				itemsFrom(files.itemsUrl(ids(letters))),
				await request('Link', {
					authentication: 'genericCredentialType',
					genericAuthType: 'httpHeaderAuth',
					url: `=${service.url}/messages/{{ $json.id }}/evidences/SENT`,
					options: {},
				}),
				await request('File', {
					url: '={{ $json.url }}',
					options: { response: { response: { responseFormat: 'file' } } },
				}),
			]),
	};
}

function ids(letters: number): Array<{ id: string }> {
	return Array.from({ length: letters }, (_, index) => ({
		id: String(index + 1).padStart(12, '0'),
	}));
}
