// npm start on a fresh folder: one at a time for it, the README's first section as the browser shows it, all examples
// ready to run, and what the user changed stays.
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectors, type Browser } from 'playwright-core';

import { N8nApi, type StoredWorkflow } from '../n8n/api.ts';
import { EXAMPLE_CREDENTIALS, exampleFiles } from '../n8n/example-workflows.ts';
import { localFolder } from '../n8n/folders.ts';
import { NpmStart } from '../support/npm-start.ts';
import { launchChromium } from './chromium.ts';
import { docSteps } from './doc-steps.ts';
import { FirstLetter, SECTION } from './first-letter.ts';
import { Person } from './person.ts';

jest.setTimeout(300_000);
selectors.setTestIdAttribute('data-test-id');

const PICTURES = join(localFolder, 'screenshots');

const OURS: string[] = Object.values(EXAMPLE_CREDENTIALS).map(({ name }) => name);

const steps = docSteps('README.md', SECTION);

let folder: string;
let running: NpmStart;
let api: N8nApi;
let browser: Browser;
let walk: FirstLetter;

beforeAll(async () => {
	await mkdir(PICTURES, { recursive: true });
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-start-'));
	running = new NpmStart(folder);
	// It has the folder from its first step on.
	await running.untilPrinted('Building the pack');
	const second = new NpmStart(folder);
	expect({ code: await second.ended, said: second.output }).toEqual({
		code: 1,
		// The first may be further by then, and another test's may be installing.
		said: expect.stringMatching(
			/(^|\n)✗ Already (being started|running at \S+) \(process \d+\)\. .*\n$/,
		),
	});
	await running.untilRunning();
	api = await N8nApi.connect(running.row('n8n editor').address);
	browser = await launchChromium();
	walk = new FirstLetter(await Person.at(browser), (row) => running.row(row));
}, 360_000);
afterAll(async () => {
	await browser?.close();
	await running?.stop();
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 120_000);

it('sends a letter, whose events start a workflow', () => {
	expect(running.output).toContain('✓ Every step happened');
});

describe('the first section of the README', () => {
	it('has as many steps as are done here', () => {
		expect(walk.steps).toHaveLength(steps.length);
	});

	it.each(steps.map((step, index) => [index + 1, step] as const))(
		'step %d',
		async (number, step) => {
			try {
				await walk.steps[number - 1](step);
				expect(step.unused).toEqual([]);
			} finally {
				await walk.page.screenshot({ path: join(PICTURES, `first-letter-${number}.png`) });
			}
		},
	);

	it('leaves the evidence that the letter was sent, and that it was accepted', async () => {
		expect(walk.evidence.map((file) => file.suggestedFilename())).toEqual([
			expect.stringMatching(/^\d{12}-SENT\.pdf$/),
			expect.stringMatching(/^\d{12}-ACCEPTED\.pdf$/),
		]);
		for (const file of walk.evidence) {
			expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-');
		}
	});
});

it('imports every example, with the credentials that the sandbox and the receiver need', async () => {
	const files = await exampleFiles();
	const needy: string[] = [];
	for (const file of files) {
		const { name } = JSON.parse(await readFile(join('examples', file), 'utf8')) as { name: string };
		const stored = await api.findWorkflow(name);
		const credentials = (stored?.nodes ?? []).flatMap((node) =>
			Object.values((node.credentials ?? {}) as Record<string, { id: string; name: string }>),
		);
		const ours = credentials.filter((one) => OURS.includes(one.name));
		expect([name, ours.every(({ id }) => id !== '')]).toEqual([name, stored !== undefined]);
		for (const other of credentials.filter((one) => !OURS.includes(one.name))) {
			const needs = running.output.split(`“${name}” needs your `)[1]?.split('\n')[0].split(', ');
			expect(needs).toContain(other.name);
			needy.push(name);
		}
	}
	const ready = files.length - new Set(needy).size;
	expect(ready).toBeGreaterThan(10);
	expect(running.output).toContain(`Examples in the editor, ready to run: ${ready}\n`);
});

it('an example that archives does so without being told a folder', async () => {
	const workflow = await api.findWorkflow('Registered letter with its evidence archived');
	expect(await api.run(workflow as StoredWorkflow)).toMatchObject({
		status: 'success',
		error: null,
	});
	const archived = await readdir(join(folder, 'n8n', '.n8n-files'));
	expect(archived.map((file) => file.replace(/^\d{12}/, '')).sort()).toEqual([
		'-ACCEPTED.pdf',
		'-SENT.pdf',
	]);
});

it('ended and started again, keeps what the user has changed, and runs whatever that is', async () => {
	const letter = (await api.findWorkflow('Send tracked mail')) as StoredWorkflow;
	const nodes = letter.nodes.filter(({ name }) => name === 'Send Letter');
	Object.assign(nodes[0].parameters as object, { body: '<p>In my own words</p>' });
	await api.saveWorkflow({ ...letter, nodes, connections: {} });
	// An example in n8n's archive is none that could run, so it comes once more.
	await api.archive((await api.findWorkflow('Follow letters'))?.id as string);
	expect(await running.stop()).toBe(0);
	expect(running.output).toContain('✓ Everything has ended.');

	running = new NpmStart(folder);
	await running.untilRunning();
	expect(running.output).toContain('✗ The workflow "Send tracked mail" has no manual trigger.');
	expect(running.output).toContain('✗ Not every step happened; see above.');
	api = await N8nApi.connect(running.row('n8n editor').address);
	const again = await api.findWorkflow('Send tracked mail');
	expect(JSON.stringify(again?.nodes)).toContain('In my own words');
	expect(await api.findWorkflow('Follow letters')).toBeDefined();
});
