import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
	selectors,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';

import type { StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import { localFolder } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { RECEIVER_CREDENTIAL, SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { allAtNight } from '../support/ring.ts';
import { launchChromium } from './chromium.ts';
import { docHeadings, docSteps } from './doc-steps.ts';
import { HowTo } from './how-to.ts';
import { COLOR_SCHEMES } from './looks.ts';
import { logIn, withoutMotion } from './n8n-editor.ts';
import { Person } from './person.ts';

jest.setTimeout(90_000);

const SCREENSHOTS = join(localFolder, 'screenshots');

/** Names of parameters as the code has them; a person must see none of them as a label. */
const INTERNAL_NAMES =
	/\b(attachmentFields|recipientsFrom|recipientsJson|recipientKind|fileReference|customerReference|includeSenderLogo|scheduledAt|messageId|messageTypes|batchSize|identifierType|baseUrl|apiToken|trackedMailSpelling|clientCertificate|clientKey|caCertificate|receiverUrl|managementToken)\b/;

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

	const canvasNode = (name: string) =>
		page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	const panel = () => page.getByTestId('ndv');
	const shot = async (name: string) =>
		await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}.png`) });

	async function openWorkflow({ id, nodes }: StoredWorkflow): Promise<void> {
		await page.goto(`${stack.n8n.url}/workflow/${id}`);
		for (const { name, type } of nodes) {
			if (!type.endsWith('.stickyNote')) await canvasNode(name).waitFor();
		}
	}

	async function openNode(name: string): Promise<void> {
		await canvasNode(name).dblclick();
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
		await openWorkflow(send);
		await expectPackIcon(canvasNode('Send Letter'));
		await expectPackIcon(canvasNode('Get Status'));
		expect(await canvasNode('Send Letter').innerText()).toContain('Tracked Mail');
		expect(await canvasNode('Get Status').innerText()).toContain('Get Status');
		await shot('canvas-send');
		await openWorkflow(follow);
		await expectPackIcon(canvasNode('Registered Delivery Trigger'));
		expect(await canvasNode('Registered Delivery Trigger').innerText()).toContain('Any Event');
		await shot('canvas-follow');
	});

	it('opens Send Letter: fields in order, those of the other kind of recipient hidden', async () => {
		// A copy of its own: the editor saves by itself what is changed here.
		const copy = await stack.importExample('send-tracked-mail.json', (workflow) => {
			workflow.name = `To a company, ${colorScheme}`;
		});
		await openWorkflow(copy);
		await openNode('Send Letter');
		await expectPackIcon(panel());
		const order = [
			'Operation',
			'Type',
			'Recipients From',
			'Email',
			'First Name',
			'Last Name',
			'Body',
		];
		const shown = await labels(order);
		await shot('send-letter');
		expect(shown.join('|')).not.toMatch(INTERNAL_NAMES);
		expect(shown.filter((label) => order.includes(label))).toEqual(order);
		expect(shown).not.toContain('Company');
		expect(shown).not.toContain('Identifier');

		await panel().getByTestId('parameter-input-recipientKind').first().click();
		const choice = page.getByRole('option', { name: 'Company' });
		await choice.click();
		await choice.waitFor({ state: 'hidden' });
		await panel().getByTestId('parameter-input-company').waitFor();
		const changed = await labels(['Company', 'Identifier', 'Identifier Type']);
		await shot('send-letter-company');
		expect(changed).not.toContain('First Name');
		expect(changed).not.toContain('Last Name');
	});

	it('opens the text of a mail merge as an expression', async () => {
		const merge = await stack.importExample('send-tracked-mail.json', (workflow) => {
			workflow.name = `Merge, ${colorScheme}`;
			const node = workflow.nodes.find((one) => one.name === 'Send Letter');
			if (node) node.parameters = { operation: 'send' };
		});
		await openWorkflow(merge);
		await openNode('Send Letter');
		const body = panel().getByTestId('parameter-input-body');
		const expression = body.locator('.cm-content');
		await body.waitFor();
		expect(await expression.count()).toBe(0);
		await panel().getByTestId('parameter-input-recipientsFrom').click();
		await page.getByRole('option', { name: 'Input Item' }).click();
		await expression.waitFor();
		await shot('send-letter-merge');
	});

	it('finds the trigger by what happens to a letter', async () => {
		await page.goto(`${stack.n8n.url}/workflow/new`);
		await page.getByTestId('canvas-add-button').getByRole('button').click();
		for (const words of ['letter accepted', 'letter refused', 'bounced']) {
			await page.getByTestId('node-creator-search-bar').fill(words);
			await shot('search-trigger');
			const found = page
				.getByTestId('node-creator')
				.getByText(/^Starts the workflow when something/);
			await found.first().waitFor();
		}
	});

	it('offers the credential of the receiver where Send Letter has a use for it', async () => {
		const imported = async (name: string, parameters: object) =>
			await stack.importExample('send-tracked-mail.json', (workflow) => {
				workflow.name = `${name}, ${colorScheme}`;
				const node = workflow.nodes.find((one) => one.name === 'Send Letter');
				Object.assign(node?.parameters as object, parameters);
			});
		const offered = panel().getByText(
			"Webhook Receiver (Optional, for 'Watch' and 'Send Once Key')",
		);
		await openWorkflow(await imported('Watched', { options: { watch: true } }));
		await openNode('Send Letter');
		await offered.waitFor();
		await labels(['Operation', 'Type', 'Watch']);
		await shot('send-letter-watch');

		await openWorkflow(await imported('Cancelled', { operation: 'cancel' }));
		await openNode('Send Letter');
		await labels(['Message IDs']);
		expect(await offered.count()).toBe(0);
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
		),
	)('opens, of %s, %s', async (example, name, subtitle, order) => {
		await openWorkflow(await stack.importExample(example));
		await expectPackIcon(canvasNode(name));
		expect(await canvasNode(name).innerText()).toContain(subtitle);
		await shot(`canvas-${example.replace('.json', '')}`);
		await openNode(name);
		await expectPackIcon(panel());
		const shown = await labels(order);
		await shot(name.toLowerCase().replaceAll(' ', '-'));
		expect(shown.join('|')).not.toMatch(INTERNAL_NAMES);
		expect(shown.filter((label) => order.includes(label))).toEqual(order);
	});

	/** Opens the trigger of a copy of the example that follows letters. */
	async function openTrigger(
		name: string,
		change: (trigger: WorkflowFile['nodes'][number]) => void,
	) {
		// A copy of its own: the editor saves by itself what is changed here, and keeps it for this tab.
		const copy = await stack.importExample('follow-letters.json', (workflow) => {
			workflow.name = `${name}, ${colorScheme}`;
			const trigger = workflow.nodes.find((node) => node.name === 'Registered Delivery Trigger');
			if (trigger) change(trigger);
		});
		await openWorkflow(copy);
		await openNode('Registered Delivery Trigger');
		await expectPackIcon(panel());
	}

	it('opens Registered Delivery Trigger, and tells of Watch only who needs it', async () => {
		const notice = 'Some of these events need a receiver that may ask the service';
		await openTrigger('Any Event', (trigger) => {
			trigger.parameters = { events: ['*'], options: {} };
		});
		const order = ['Trigger On', 'Simplify'];
		const shown = await labels(order);
		await shot('trigger');
		expect(shown.join('|')).not.toMatch(INTERNAL_NAMES);
		expect(shown.filter((label) => order.includes(label))).toEqual(order);
		await panel().getByText(notice).waitFor();

		const events = ['tracked_mail.opened', 'lre.failed'];
		await openTrigger('Two events', (trigger) => {
			trigger.parameters = { events, options: {} };
		});
		await labels(order);
		expect(await panel().innerText()).not.toContain(notice);
	});

	it('opens Registered Delivery Direct Trigger, with the credential that it needs instead', async () => {
		await openTrigger('Direct', (trigger) => {
			trigger.type = trigger.type.replace('DeliveryTrigger', 'DeliveryDirectTrigger');
			trigger.credentials = {};
		});
		await panel().getByText('Enter the production webhook URL above').waitFor();
		await shot('trigger-direct');
		expect(await panel().innerText()).not.toContain(RECEIVER_CREDENTIAL);
	});

	it.each([
		[SERVICE_CREDENTIAL, 'credential-service'],
		[RECEIVER_CREDENTIAL, 'credential-receiver'],
	])('opens the credential "%s", whose test succeeds', async (name, screenshot) => {
		await page.goto(`${stack.n8n.url}/home/credentials`);
		await page.getByText(name, { exact: true }).first().click();
		const dialog = page.getByTestId('editCredential-modal');
		await dialog.waitFor();
		await dialog.getByText('Connection tested successfully').waitFor();
		await shot(screenshot);
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
