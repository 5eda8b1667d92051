// What docs/rehearse.md says, done in the browser: a person fills in a form, and moves the sandbox's time until the
// escalation has come to its end.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { selectors, type Browser, type Locator, type Page } from 'playwright-core';

import type { StoredWorkflow } from '../n8n/api.ts';
import { localFolder } from '../n8n/folders.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { untilAsleep } from '../real-n8n/awaiting.ts';
import { launchChromium } from './chromium.ts';
import { docSteps, type DocStep } from './doc-steps.ts';
import { logIn, withoutMotion } from './n8n-editor.ts';
import { Person } from './person.ts';

jest.setTimeout(180_000);
selectors.setTestIdAttribute('data-test-id');

const PICTURES = join(localFolder, 'screenshots');
const RECIPIENT = 'never@example.com';

const steps = docSteps('docs/rehearse.md', 'Weeks in a minute');

let stack: Stack;
let browser: Browser;
let person: Person;
/** The mails of the sandbox. */
let mails: Page;
let workflow: StoredWorkflow;

beforeAll(async () => {
	await mkdir(PICTURES, { recursive: true });
	[browser, stack] = await Promise.all([
		launchChromium(),
		startTemporaryStack({ editor: true, receiverEnv: { CLOCK: 'service' } }),
	]);
	workflow = await stack.importExample('escalation.json');
	person = await Person.at(browser);
	await person.context.addInitScript(withoutMotion);
	await logIn(person.page, stack.n8n.url);
	mails = await person.context.newPage();
	await mails.goto(stack.sandbox.pageUrl);
}, 300_000);

afterAll(async () => {
	await browser?.close();
	await stack?.close();
}, 120_000);

/** The newest letter on the sandbox's page, once it is of this type, and the execution sleeps again. */
async function asleepAfter(type: string): Promise<Locator> {
	const newest = mails.locator('#cards article').first();
	await newest.filter({ hasText: type }).filter({ hasText: RECIPIENT }).waitFor();
	// n8n's list is a few seconds old.
	const [id] = await stack.api.executionIds(workflow.id);
	await untilAsleep(stack, id);
	await execution('Waiting').waitFor();
	return newest;
}

/** In n8n's list, of the only one that there is. */
const execution = (status: string) =>
	person.page.getByTestId('current-executions-list').getByText(status).first();

const move = (step: DocStep) =>
	mails.getByRole('button', { name: step.named('+15 days'), exact: true }).click();

/** What each step takes, in its order. */
const walk: Array<(step: DocStep) => Promise<void>> = [
	async (step) => {
		const { page } = person;
		await page.getByText(step.named('Overview'), { exact: true }).first().click();
		await page.getByText(workflow.name, { exact: true }).first().click();
		const publish = { name: step.named('Publish'), exact: true };
		await page.getByRole('button', publish).click();
		await page.getByRole('dialog').getByRole('button', publish).click();
		await page.getByRole('button', { name: step.named('Got it') }).click();
	},

	async (step) => {
		await person.node(step.named('When somebody fills in the form')).dblclick();
		await person.panel.getByText(step.named('Production URL'), { exact: true }).click();
		const form = await person.context.newPage();
		await form.goto(await person.panel.locator('.webhook-url').innerText());
		await form.getByLabel('Reference').fill('NOTICE-1');
		await form.getByLabel('Email').fill(step.typed(RECIPIENT));
		await form.getByLabel('First name').fill('Ada');
		await form.getByLabel('Last name').fill('Martin');
		await form.getByLabel('What it is about').fill('rent');
		await form.getByRole('button', { name: step.named('Submit') }).click();
		await form.getByText('Your response has been recorded').waitFor();
		await form.close();
		await person.closePanel();
	},

	async (step) => {
		await person.page.getByText(step.named('Executions'), { exact: true }).click();
		step.named('Waiting');
		await asleepAfter('Tracked mail');
	},

	async (step) => {
		await move(step);
		await asleepAfter('Simple letter');
	},

	async (step) => {
		await move(step);
		const letter = await asleepAfter('Registered letter');
		for (const answer of [step.named('Accept'), step.named('Refuse')])
			await letter.getByRole('button', { name: answer }).waitFor();
	},

	async (step) => {
		await move(step);
		await mails.locator('#cards article').first().getByText('Expired').first().waitFor();
		await execution('Succeeded').waitFor();
	},
];

it('has as many steps as the page', () => {
	expect(walk).toHaveLength(steps.length);
});

it.each(steps.map((step, index) => [index + 1, step] as const))('step %d', async (number, step) => {
	try {
		await walk[number - 1](step);
		expect(step.unused).toEqual([]);
	} finally {
		await person.page.screenshot({ path: join(PICTURES, `rehearse-${number}.png`) });
		await mails.screenshot({ path: join(PICTURES, `rehearse-${number}-mails.png`) });
	}
});
