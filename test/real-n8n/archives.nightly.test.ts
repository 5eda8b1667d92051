// The examples that archive evidence, each into its kind of store: nothing is ever overwritten.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { sandboxState } from '../support/sandbox.ts';
import { bucketStore, folderStore, type EvidenceStore } from './evidence-stores.ts';
import { node, saveChain, sendLetter, START } from './workflows.ts';

jest.setTimeout(240_000);

let stack: Stack;
let folder: string;
beforeAll(async () => {
	// An n8n of its own has nothing there.
	stack = await startTemporaryStack({ n8nEnv: {}, receiverEnv: { WATCH_DELAYS: '0s:1s' } });
	folder = stack.n8n.filesFolder;
}, 300_000);
afterAll(async () => {
	await stack?.close();
}, 120_000);

type Files = Record<string, Buffer>;

describe.each(['a folder', 'an S3-compatible store'])('evidence archive in %s', (place) => {
	let store: EvidenceStore;
	let ids: string[];
	beforeAll(async () => {
		store = place === 'a folder' ? folderStore(folder) : await bucketStore();
	});
	beforeEach(async () => {
		// Letters to never@ do nothing unless the test makes it happen.
		const reader = { email: 'never@recipients.example', firstname: 'Ada', lastname: 'Martin' };
		const workflow = await saveChain(stack, `Letters with evidence in ${place}`, [
			START,
			sendLetter({ type: 'LRE', recipientsJson: JSON.stringify([reader, reader]) }),
		]);
		const { output } = await stack.api.run(workflow);
		const { messages } = output['Send Letter'][0].json as { messages: Array<{ id: string }> };
		ids = messages.map(({ id }) => id);
	});
	afterAll(() => store?.close());

	async function importArchive(): Promise<StoredWorkflow> {
		const adapt = await store.adapt(stack);
		return await stack.importExample(store.example, (file) => {
			adapt(file);
			const letters = file.nodes.find(({ name }) => name === 'The letters');
			const jsonOutput = JSON.stringify({ messageIds: ids });
			Object.assign(letters?.parameters as object, { jsonOutput });
		});
	}

	const run = async (): Promise<Execution> => await stack.api.run(await importArchive());

	/** Archives the letters and returns what the store holds for them. */
	async function archived(): Promise<Files> {
		expect(await run()).toMatchObject({ status: 'success', error: null });
		return await stored();
	}

	async function stored(): Promise<Files> {
		const files = Object.entries(await store.files());
		return Object.fromEntries(files.filter(([name]) => ids.some((id) => name.startsWith(id))));
	}

	const find = (files: Files, id: string, event: string, ending: string): string => {
		const start = `${id}-${event}-`;
		const names = Object.keys(files).filter((one) => one.startsWith(start) && one.endsWith(ending));
		expect(names).toHaveLength(1);
		return names[0];
	};

	const expectManifest = (files: Files, id: string, event: string, noticedAt: unknown = '') => {
		const file = find(files, id, event, '.pdf');
		const pdf = files[file];
		expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
		const sha256 = createHash('sha256').update(pdf).digest('hex');
		const entry = `${id}-${event}`;
		expect(file).toMatch(new RegExp(`^${entry}-\\d{8}T\\d{9}Z\\.pdf$`));
		expect(JSON.parse(files[file.replace('.pdf', '.json')].toString())).toEqual({
			messageId: id,
			event,
			noticedAt,
			entry,
			file,
			size: pdf.length,
			sha256,
			archivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
		});
	};

	/** What was there stands unchanged, and this many files beside it. */
	const expectKept = (before: Files, after: Files, more: number) => {
		expect(Object.keys(after)).toHaveLength(Object.keys(before).length + more);
		for (const [name, content] of Object.entries(before)) expect(after[name]).toEqual(content);
	};

	it('stores each PDF with a manifest; run again, it adds what is new and leaves the rest alone', async () => {
		const before = await archived();
		for (const id of ids) expectManifest(before, id, 'SENT');
		expect(Object.keys(before)).toHaveLength(4);
		expect(await archived()).toEqual(before);

		await stack.sandbox.control('POST /messages/{id}/{trigger}', { id: ids[0], trigger: 'refuse' });
		const after = await archived();
		expectManifest(after, ids[0], 'REFUSED');
		expectKept(before, after, 2);
	});

	it('leaves alone what somebody changed, and what broke off half-way', async () => {
		const first = await archived();
		await store.put(find(first, ids[0], 'SENT', '.pdf'), 'changed');
		await store.put(find(first, ids[0], 'SENT', '.json'), '{ not JSON');
		await store.remove(find(first, ids[1], 'SENT', '.json'));
		const before = await stored();
		const after = await archived();
		// The second letter's PDF had no manifest: another copy stands beside it, with one.
		expectKept(before, after, 2);
		expect(await archived()).toEqual(after);
	});

	it('writes nothing over what it cannot read, and says so', async () => {
		const first = await archived();
		const name = find(first, ids[0], 'SENT', '.json');
		await stack.sandbox.control('POST /messages/{id}/{trigger}', { id: ids[1], trigger: 'refuse' });
		await store.makeUnreadable(name);
		const before = await stored();
		const { status, error } = await run();
		expect(status).toBe('error');
		const after = await stored();
		if (place === 'a folder') {
			expect(error?.message).toContain(name.slice(0, name.lastIndexOf('-')));
			// The other letter has its new evidence all the same.
			expectManifest(after, ids[1], 'REFUSED');
			expectKept(before, after, 2);
		} else {
			expectKept(before, after, 0);
		}
		await store.makeReadable(name);
		expectManifest(await archived(), ids[1], 'REFUSED');
	});

	it('stores the others’ evidence when that of one letter can’t be fetched, and says whose', async () => {
		const lost = '999999999999';
		ids = [lost, ...ids];
		const { status, error } = await run();
		expect(status).toBe('error');
		expect(error?.message).toContain(lost);
		const files = await stored();
		for (const id of ids.slice(1)) expectManifest(files, id, 'SENT');
	});

	it('starts by itself when a watched letter has its outcome', async () => {
		const [, id] = ids;
		const workflow = await importArchive();
		await stack.activate(workflow);
		await stack.receiverApi.call('PUT', `/watches/${id}`, {});
		await stack.sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: 'accept' });
		// The manifest comes last: once it is there, everything is.
		const files = await until(
			'the manifest of the acceptance',
			async () => {
				const now = await stored();
				const manifest = Object.entries(now).find(([name]) => /ACCEPTED.*json$/.test(name));
				return (manifest?.[1].length ?? 0) > 0 && now;
			},
			100,
		);
		await stack.deactivate(workflow);
		expectManifest(files, id, 'ACCEPTED', expect.stringMatching(/^\d{4}-.*Z$/));
	});
});

describe('a dossier for each letter', () => {
	const run = promisify(execFile);
	/** Whether `sha256sum -c` finds every file of the list whole, as anyone would ask it offline. */
	const isWhole = async (dossier: string, list = 'SHA256SUMS') =>
		await run('sha256sum', ['--check', '--strict', list], { cwd: dossier }).then(
			({ stdout }) => stdout.trim().split('\n'),
			() => false as const,
		);

	let dossiers: Record<string, string>;
	beforeAll(async () => {
		// Ada has consented, Ben was never asked.
		const ada = { email: 'Accept@recipients.example', firstname: 'Ada', lastname: 'Martin' };
		const ask = node('Ask', 'n8n-nodes-registered-delivery.requestConsent', 1, {
			operation: 'create',
			type: 'EMAIL',
			recipientsFrom: 'json',
			recipientsJson: JSON.stringify([ada]),
			options: {},
		});
		const asked = await stack.api.run(await saveChain(stack, 'Ada is asked', [START, ask]));
		await stack.sandbox.control('POST /consents/{id}/{answer}', {
			id: asked.output.Ask[0].json.id as string,
			answer: 'accept',
		});
		dossiers = await make();
	});

	/** Runs the example. @returns by reference of the letter, the folder of its unpacked dossier */
	async function make(): Promise<Record<string, string>> {
		const store = folderStore(folder);
		const before = await readdir(folder);
		const workflow = await stack.importExample('dossier.json', await store.adapt(stack));
		const execution = await stack.api.run(workflow);
		expect(execution).toMatchObject({ status: 'success', error: null });
		const made: Record<string, string> = {};
		for (const zip of await readdir(folder)) {
			if (before.includes(zip)) continue;
			expect(zip).toMatch(/^dossier-\d{12}-\d{8}T\d{9}Z\.zip$/);
			const dossier = join(folder, zip.replace('.zip', ''));
			await run('unzip', [join(folder, zip), '-d', dossier]);
			const { fileReference } = JSON.parse(await readFile(join(dossier, 'history.json'), 'utf8'));
			made[fileReference as string] = dossier;
		}
		return made;
	}

	it('holds text, attachment’s digest, consent, history and evidence, all in SHA256SUMS', async () => {
		expect(Object.keys(dossiers).sort()).toEqual(['LEASE-2026-031', 'LEASE-2026-032']);
		const { messages } = await sandboxState(stack.sandbox);
		const expected = { 'LEASE-2026-031': 'ACCEPTED', 'LEASE-2026-032': 'REFUSED' };
		for (const [reference, outcome] of Object.entries(expected)) {
			const dossier = dossiers[reference];
			const letter = messages.find(({ fileReference }) => fileReference === reference);
			const files = [
				`${letter?.id}-${outcome}.pdf`,
				`${letter?.id}-SENT.pdf`,
				'attachments.sha256',
				'consent.json',
				'history.json',
				'letter.html',
			];
			expect((await readdir(dossier)).sort()).toEqual([...files, 'SHA256SUMS'].sort());
			const checked = await isWhole(dossier);
			expect(checked && checked.sort()).toEqual(files.map((file) => `${file}: OK`).sort());

			const read = async (file: string) => await readFile(join(dossier, file), 'utf8');
			expect(await read('letter.html')).toBe(letter?.body);
			expect(JSON.parse(await read('history.json'))).toMatchObject({
				messageId: letter?.id,
				type: 'LRE',
				outcome: { outcome: outcome.toLowerCase(), occurredAt: expect.any(String) },
				evidence: [{ eventType: 'SENT' }, { eventType: outcome }],
			});
			const isAda = outcome === 'ACCEPTED';
			expect(JSON.parse(await read('consent.json'))).toMatchObject({
				state: isAda ? 'ACCEPTED' : 'NONE',
			});
			// Beside the attachment, its digest can be checked as well.
			const door = isAda ? '2. Read the meters.' : '2. Repair the door.';
			const annex = join(dossier, `${reference}-annex.txt`);
			await writeFile(annex, `1. Hand over the keys.\n${door}\n`);
			expect(await isWhole(dossier, 'attachments.sha256')).toEqual([`${reference}-annex.txt: OK`]);
			await rm(annex);
		}
	});

	it('made again, sends no letter twice and stands beside the one that was there', async () => {
		const before = (await sandboxState(stack.sandbox)).messages.length;
		const again = await make();
		expect(Object.keys(again)).toHaveLength(2);
		expect((await sandboxState(stack.sandbox)).messages).toHaveLength(before);
		for (const dossier of [...Object.values(dossiers), ...Object.values(again)]) {
			expect(await isWhole(dossier)).not.toBe(false);
		}
	});
});
