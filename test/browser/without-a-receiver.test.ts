// What docs/without-a-receiver.md says, done in the browser: a registered letter with its evidence on an n8n that has
// nothing beside it.
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { selectors, type Browser } from 'playwright-core';

import { localFolder } from '../n8n/folders.ts';
import { writingTo } from '../n8n/example-workflows.ts';
import { until } from '../n8n/poll.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { launchChromium } from './chromium.ts';
import { docSteps, type DocStep } from './doc-steps.ts';
import { logIn, withoutMotion } from './n8n-editor.ts';
import { Person } from './person.ts';

jest.setTimeout(120_000);
selectors.setTestIdAttribute('data-test-id');

const PICTURES = join(localFolder, 'screenshots');

const steps = docSteps('docs/without-a-receiver.md', 'Set it up');

let stack: Stack;
let browser: Browser;
let person: Person;
let archive: string;
let key: string;

beforeAll(async () => {
	await mkdir(PICTURES, { recursive: true });
	[browser, stack] = await Promise.all([launchChromium(), startTemporaryStack({ editor: true })]);
	await stack.stopReceiver();
	await stack.saveCredentials({ followWith: 'nothing' });
	archive = stack.n8n.filesFolder;
	const { id } = await stack.importExample('registered-letter-with-evidence.json', (workflow) => {
		Object.assign(workflow, writingTo(archive, workflow));
	});
	person = await Person.at(browser);
	await person.context.addInitScript(withoutMotion);
	await logIn(person.page, stack.n8n.url);
	walk.push(...stepsOf(`${stack.n8n.url}/workflow/${id}`));
}, 300_000);

afterAll(async () => {
	await browser?.close();
	await stack?.close();
}, 120_000);

const button = (name: string) => person.page.getByRole('button', { name, exact: true });

const walk: Array<(step: DocStep) => Promise<void>> = [];

/** What each step takes, in its order. */
const stepsOf = (workflow: string): typeof walk => [
	async (step) => {
		const { page } = person;
		step.named('Settings');
		await page.goto(`${stack.n8n.url}/settings`);
		await page.getByText(step.named('n8n API'), { exact: true }).first().click();
		await button(step.named('Create API key')).click();
		step.named('Label');
		await page.getByTestId('api-key-label').fill('To wait');
		await page.getByText(step.named('Read only'), { exact: true }).click();
		const made = page.waitForResponse(
			(response) =>
				response.url().endsWith('/rest/api-keys') && response.request().method() === 'POST',
		);
		await button(step.named('Save')).click();
		key = ((await (await made).json()) as { data: { rawApiKey: string } }).data.rawApiKey;
		await button(step.named('Done')).click();
	},

	async (step) => {
		const { page } = person;
		await page.goto(stack.n8n.url);
		await page.getByText(step.named('Overview'), { exact: true }).first().click();
		await page.getByText(step.named('Credentials'), { exact: true }).first().click();
		await page.getByText(SERVICE_CREDENTIAL, { exact: true }).first().click();
		const modal = page.getByTestId('editCredential-modal');
		const field = (label: string) => person.item(modal, label).locator('input').first();
		await field(step.named('Follow Letters With')).click();
		await page.getByRole('option', { name: step.named('This n8n') }).click();
		await field(step.named('N8n URL')).fill(stack.n8n.url);
		await field(step.named('N8n API Key')).fill(key);
		await button(step.named('Save')).click();
		await modal.getByText('Connection tested successfully').waitFor();
	},

	// n8n has nothing to publish in a workflow that only a person starts.
	async () => await person.page.goto(workflow).then(() => undefined),
];

it('has as many steps as the page', () => {
	expect(walk).toHaveLength(steps.length);
});

it.each(steps.map((step, index) => [index + 1, step] as const))('step %d', async (number, step) => {
	try {
		await walk[number - 1](step);
		expect(step.unused).toEqual([]);
	} finally {
		await person.page.screenshot({ path: join(PICTURES, `without-a-receiver-${number}.png`) });
	}
});

it('sends the letter, sleeps until it is accepted, and stores its evidence', async () => {
	await person.page.getByRole('button', { name: 'Execute workflow' }).last().click();
	const isStored = async () => (await readdir(archive)).length === 2;
	await until('the evidence', isStored, 90).finally(async () => {
		await person.page.screenshot({ path: join(PICTURES, 'without-a-receiver.png') });
	});
	const files = (await readdir(archive)).map((file) => file.replace(/^\d{12}/, '')).sort();
	expect(files).toEqual(['-ACCEPTED.pdf', '-SENT.pdf']);
});
