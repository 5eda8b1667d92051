import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
	selectors,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';

import type { StoredWorkflow } from '../n8n/api.ts';
import { localFolder } from '../n8n/folders.ts';
import { writingTo } from '../n8n/example-workflows.ts';
import { until } from '../n8n/poll.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { allAtNight } from '../support/ring.ts';
import { node } from '../real-n8n/workflows.ts';
import { launchChromium } from './chromium.ts';
import { docHeadings, docSteps, type DocStep } from './doc-steps.ts';
import { HowTo } from './how-to.ts';
import { COLOR_SCHEMES } from './looks.ts';
import { canvasNode, logIn, openWorkflow, withoutMotion } from './n8n-editor.ts';
import { Person } from './person.ts';

jest.setTimeout(120_000);

const SCREENSHOTS = join(localFolder, 'screenshots');

/** Names of parameters as the code has them; a person must see none of them as a label. */
const INTERNAL_NAMES =
	/\b(attachmentFields|recipientsFrom|recipientsJson|recipientKind|fileReference|customerReference|includeSenderLogo|scheduledAt|messageId|messageTypes|batchSize|identifierType|baseUrl|apiToken|trackedMailSpelling|clientCertificate|clientKey|caCertificate|followWith|receiverUrl|receiverToken|n8nUrl|n8nApiKey)\b/;

let stack: Stack;
let browser: Browser;
let send: StoredWorkflow;
let follow: StoredWorkflow;

// As n8n names its parts.
selectors.setTestIdAttribute('data-test-id');

beforeAll(async () => {
	await mkdir(SCREENSHOTS, { recursive: true });
	[browser, stack] = await Promise.all([
		launchChromium(),
		// The sandbox's letters finish within seconds.
		startTemporaryStack({ editor: true, receiverEnv: { WATCH_DELAYS: '0s:3s' } }),
	]);
	send = await stack.importExample('send-tracked-mail.json');
	follow = await stack.importExample('follow-letters.json');
}, 300_000);

afterAll(async () => {
	await browser?.close();
	await stack?.close();
}, 120_000);

describe.each(COLOR_SCHEMES)('the editor, %s', (colorScheme) => {
	let context: BrowserContext;
	let page: Page;
	const errors: string[] = [];

	beforeAll(async () => {
		context = await browser.newContext({
			colorScheme,
			locale: 'en-GB',
			viewport: { width: 1500, height: 950 },
		});
		context.setDefaultTimeout(20_000);
		await context.addInitScript(withoutMotion);
		page = await context.newPage();
		page.on('console', (message) => {
			if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
		});
		page.on('pageerror', (error) => void errors.push(String(error.stack)));
		await logIn(page, stack.n8n.url);
	}, 120_000);

	afterAll(async () => {
		await context?.close();
	});

	const onCanvas = (name: string) => canvasNode(page, name);
	const panel = () => page.getByTestId('ndv');
	const shot = async (name: string) =>
		await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) });

	const openCanvas = async (workflow: StoredWorkflow) =>
		await openWorkflow(page, stack.n8n.url, workflow);

	async function openNode(name: string): Promise<void> {
		await onCanvas(name).dblclick();
		await panel().waitFor();
	}

	/** The labels of the fields in their order, once these are among them: the editor shows some a moment later. */
	async function labels(wanted: readonly string[]): Promise<string[]> {
		let shown: string[] = [];
		await until(`the fields ${wanted.join(', ')}`, async () => {
			const texts = await panel().getByTestId('input-label').allInnerTexts();
			shown = texts.map((text) => text.split('\n')[0].trim()).filter((text) => text !== '');
			return wanted.every((label) => shown.includes(label));
		});
		return shown;
	}

	async function expectPackIcon(within: Locator): Promise<void> {
		const icon = within.locator('img').first();
		await icon.waitFor();
		const { width, source } = await icon.evaluate(async (image: HTMLImageElement) => {
			await image.decode();
			return { width: image.naturalWidth, source: image.src };
		});
		expect(width).toBeGreaterThan(0);
		expect(source).toContain('n8n-nodes-registered-delivery');
		if (colorScheme === 'dark') expect(source).toContain('.dark.svg');
		else expect(source).not.toContain('.dark.svg');
	}

	it('shows the nodes on the canvas: icon and subtitle', async () => {
		await openCanvas(send);
		await expectPackIcon(onCanvas('Send Letter'));
		await expectPackIcon(onCanvas('Get Status'));
		expect(await onCanvas('Send Letter').innerText()).toContain('Tracked Mail');
		expect(await onCanvas('Get Status').innerText()).toContain('Get Status');
		await shot('canvas-send');
		await openCanvas(follow);
		await expectPackIcon(onCanvas('Registered Delivery Trigger'));
		expect(await onCanvas('Registered Delivery Trigger').innerText()).toContain('Any Event');
		await shot('canvas-follow');
	});

	it('offers the credential in n8n’s HTTP Request node', async () => {
		const ask = node('Ask', 'n8n-nodes-base.httpRequest', 4.2, {
			url: `${stack.sandbox.url}/consents`,
			authentication: 'predefinedCredentialType',
		});
		const workflow = { name: `Ask, ${colorScheme}`, nodes: [ask], connections: {}, settings: {} };
		await openCanvas(await stack.api.saveWorkflow(workflow));
		await openNode('Ask');
		const type = panel().getByTestId('credential-select').locator('input').first();
		await type.click();
		await type.fill('registered delivery');
		await page.getByRole('option', { name: 'Registered Delivery API', exact: true }).click();
		await panel().getByTestId('node-credentials-select').waitFor();
		await shot('http-request');
	});

	it.each(
		allAtNight<[example: string, node: string, subtitle: string, order: string[]]>(
			[
				'registered-letter-with-evidence.json',
				'Download Evidence',
				'Download Evidence: All',
				['Operation', 'Message ID', 'Event Type', 'Put Output File in Field'],
			],
			['send-tracked-mail.json', 'Get Status', 'Get Status', ['Operation', 'Message ID']],
			[
				'customer-onboarding.json',
				'Manage Customer',
				'Create Customers',
				['Operation', 'Name', 'Email', 'Is Paying', 'Will Send LRE'],
			],
			['customer-onboarding.json', 'Set Logo', 'Set Logo', ['Operation', 'Customer', 'Logo Field']],
			[
				'consent-drive.json',
				'All Consents',
				'Get Many Consents',
				['Operation', 'Return All', 'Output'],
			],
			['consent-drive.json', 'Remind them', 'Remind Contact', ['Operation', 'Consent']],
			[
				'follow-letters.json',
				'Registered Delivery Trigger',
				'Any Event',
				['Trigger On', 'Simplify'],
			],
		),
	)('opens, of %s, %s', async (example, name, subtitle, order) => {
		await openCanvas(await stack.importExample(example));
		await expectPackIcon(onCanvas(name));
		expect(await onCanvas(name).innerText()).toContain(subtitle);
		await shot(`canvas-${example.replace('.json', '')}`);
		await openNode(name);
		await expectPackIcon(panel());
		const shown = await labels(order);
		await shot(name.toLowerCase().replaceAll(' ', '-'));
		expect(shown.join('|')).not.toMatch(INTERNAL_NAMES);
		expect(shown.filter((label) => order.includes(label))).toEqual(order);
	});

	it('opens the credential, whose test succeeds', async () => {
		await page.goto(`${stack.n8n.url}/home/credentials`);
		await page.getByText(SERVICE_CREDENTIAL, { exact: true }).first().click();
		const dialog = page.getByTestId('editCredential-modal');
		await dialog.waitFor();
		await dialog.getByText('Connection tested successfully').waitFor();
		await shot('credential');
		expect(await dialog.innerText()).not.toMatch(INTERNAL_NAMES);
	});

	it('had no error from this pack', () => {
		// A node may ship a schema of its output for the editor's preview; n8n asks, and 404 means none.
		const own = errors.filter((error) => /registered-?delivery/i.test(error));
		expect(own.filter((error) => !/404 .*\/schemas\//.test(error))).toEqual([]);
	});
});

describe('docs/how-to.md', () => {
	let person: Person;

	beforeAll(async () => {
		person = await Person.at(browser);
		await logIn(person.page, stack.n8n.url);
	}, 120_000);
	afterAll(async () => await person?.context.close());

	it.each(allAtNight(...docHeadings('docs/how-to.md')))('%s', async (heading) => {
		const steps = docSteps('docs/how-to.md', heading);
		const task = new HowTo(person, stack).tasks[heading];
		expect(task).toHaveLength(steps.length);
		await person.page.goto(`${stack.n8n.url}/home/workflows`);
		try {
			for (const [index, step] of steps.entries()) {
				await task[index](step);
				expect(step.unused).toEqual([]);
			}
		} finally {
			await person.page.screenshot({
				path: join(SCREENSHOTS, `how-to-${heading.slice(0, 6)}.png`),
			});
		}
	});
});

// A registered letter with its evidence on an n8n that has nothing beside it. Last, since the receiver is gone from then on.
describe('docs/without-a-receiver.md', () => {
	const steps = docSteps('docs/without-a-receiver.md', 'Set it up');
	let person: Person;
	let workflow: StoredWorkflow;
	let key: string;

	beforeAll(async () => {
		await stack.stopReceiver();
		await stack.saveCredentials({ followWith: 'nothing' });
		workflow = await stack.importExample('registered-letter-with-evidence.json', (file) => {
			Object.assign(file, writingTo(stack.n8n.filesFolder, file));
		});
		person = await Person.at(browser);
		await person.context.addInitScript(withoutMotion);
		await logIn(person.page, stack.n8n.url);
	}, 120_000);
	afterAll(async () => await person?.context.close());

	const button = (name: string) => person.page.getByRole('button', { name, exact: true });

	/** What each step takes, in its order. */
	const walk: Array<(step: DocStep) => Promise<void>> = [
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
		async () => await openWorkflow(person.page, stack.n8n.url, workflow),
	];

	it('has as many steps as the page', () => {
		expect(walk).toHaveLength(steps.length);
	});

	it.each(steps.map((step, index) => [index + 1, step] as const))(
		'step %d',
		async (number, step) => {
			try {
				await walk[number - 1](step);
				expect(step.unused).toEqual([]);
			} finally {
				await person.page.screenshot({
					path: join(SCREENSHOTS, `without-a-receiver-${number}.png`),
				});
			}
		},
	);

	it('sends the letter, sleeps until it is accepted, and stores its evidence', async () => {
		await person.page.getByRole('button', { name: 'Execute workflow' }).last().click();
		const stored = async () => await readdir(stack.n8n.filesFolder);
		await until('the evidence', async () => (await stored()).length === 2, 90).finally(async () => {
			await person.page.screenshot({ path: join(SCREENSHOTS, 'without-a-receiver.png') });
		});
		const files = (await stored()).map((file) => file.replace(/^\d{12}/, '')).sort();
		expect(files).toEqual(['-ACCEPTED.pdf', '-SENT.pdf']);
	});
});
