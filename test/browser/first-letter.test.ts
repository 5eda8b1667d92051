// The README's first section, done: npm start on a fresh folder, and in the browser what each step says.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectors, type Browser } from 'playwright-core';

import { localFolder } from '../n8n/folders.ts';
import { NpmStart } from '../support/npm-start.ts';
import { launchChromium } from './chromium.ts';
import { docSteps } from './doc-steps.ts';
import { FirstLetter, SECTION } from './first-letter.ts';
import { Person } from './person.ts';

jest.setTimeout(120_000);
selectors.setTestIdAttribute('data-test-id');

const PICTURES = join(localFolder, 'screenshots');

const steps = docSteps('README.md', SECTION);

let folder: string;
let started: NpmStart;
let browser: Browser;
let walk: FirstLetter;

beforeAll(async () => {
	await mkdir(PICTURES, { recursive: true });
	folder = await mkdtemp(join(tmpdir(), 'registered-delivery-first-'));
	started = new NpmStart(folder);
	await started.untilRunning();
	browser = await launchChromium();
	walk = new FirstLetter(await Person.at(browser), (row) => started.row(row));
}, 360_000);
afterAll(async () => {
	await browser?.close();
	await started?.stop();
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}, 120_000);

it('has as many steps as the README', () => {
	expect(walk.steps).toHaveLength(steps.length);
});

it.each(steps.map((step, index) => [index + 1, step] as const))('step %d', async (number, step) => {
	try {
		await walk.steps[number - 1](step);
		expect(step.unused).toEqual([]);
	} finally {
		await walk.page.screenshot({ path: join(PICTURES, `first-letter-${number}.png`) });
	}
});

it('leaves the evidence that the letter was sent, and that it was accepted', async () => {
	expect(walk.evidence.map((file) => file.suggestedFilename())).toEqual([
		expect.stringMatching(/^\d{12}-SENT\.pdf$/),
		expect.stringMatching(/^\d{12}-ACCEPTED\.pdf$/),
	]);
	for (const file of walk.evidence) {
		expect((await readFile(await file.path())).subarray(0, 5).toString()).toBe('%PDF-');
	}
});
