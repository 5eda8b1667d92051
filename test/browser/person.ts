import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

import { until } from '../n8n/poll.ts';
import type { DocStep } from './doc-steps.ts';
import { canvasNode } from './n8n-editor.ts';

/** Someone at n8n's editor, with a person's means alone: what stands on the screen, clicks, and keys. */
export class Person {
	readonly context: BrowserContext;
	readonly page: Page;

	private constructor(context: BrowserContext, page: Page) {
		this.context = context;
		this.page = page;
	}

	static async at(
		browser: Browser,
		{ colorScheme = 'light' as 'light' | 'dark', deviceScaleFactor = 1 } = {},
	): Promise<Person> {
		const context = await browser.newContext({
			colorScheme,
			deviceScaleFactor,
			locale: 'en-GB',
			viewport: { width: 1280, height: 860 },
			// A person's browser lets them copy by a click; without a screen it wants to be told.
			permissions: ['clipboard-read', 'clipboard-write'],
		});
		context.setDefaultTimeout(60_000);
		return new Person(context, await context.newPage());
	}

	/** Begins a workflow with the trigger of that name. */
	async createWorkflow(step: DocStep, trigger: string): Promise<void> {
		// An n8n without workflows offers it twice.
		const create = this.page.getByRole('button', { name: step.named('Create workflow') });
		await create.first().click();
		await this.page
			.getByTestId('canvas-add-button')
			.filter({ hasText: step.named('Add first step…') })
			.getByRole('button')
			.click();
		await this.choose(step.named(trigger));
	}

	/** The + at an output of a node, which is named if there are several. */
	plus(step: DocStep, node: string, output = ''): Locator {
		step.named('+');
		return this.page
			.locator(`[data-test-id="canvas-node-output-handle"][data-node-name="${node}"]`)
			.filter({ hasText: output })
			.getByTestId('canvas-handle-plus');
	}

	/** Adds a node, whose panel opens by itself. */
	async addAfter(
		plus: Locator,
		{ search, choices }: { search: string; choices: string[] },
	): Promise<void> {
		await plus.click();
		await this.page.getByTestId('node-creator-search-bar').fill(search);
		for (const choice of choices) await this.choose(choice);
		await this.panel.waitFor();
	}

	/** In the list of nodes and their actions. */
	async choose(name: string): Promise<void> {
		await this.page.getByTestId('node-creator').getByText(name, { exact: true }).click();
	}

	/**
	 * Fills in all fields that the step lists, and closes the panel.
	 *
	 * @param own values that the step describes instead of naming them
	 */
	async fillIn(step: DocStep, own: Record<string, string> = {}): Promise<void> {
		for (const { label, value } of step.fields()) await this.fill(label, own[label] ?? value);
		await this.closePanel();
	}

	/** Fills in a field of the panel, of several of that name the last. */
	async fill(label: string, value: string): Promise<void> {
		const item = this.item(this.panel, label).last();
		const input = item.locator('input, textarea, .cm-content').first();
		await input.waitFor();
		// n8n shows an expression in an editor of its own, as soon as it knows that it is one.
		if (value.includes('{{')) await item.locator('.cm-content').waitFor();
		const expression = item.locator('.cm-content');
		if ((await expression.count()) > 0) {
			// n8n may still be making the field anew: then a person types it again.
			await until(`${label} to show ${value}`, async () => {
				await expression.click();
				await this.page.keyboard.press('ControlOrMeta+A');
				await this.page.keyboard.insertText(value);
				// Away from it, or the preview of the value covers the next field.
				await this.panel.getByText('Parameters', { exact: true }).click();
				await this.page.waitForTimeout(500);
				return (await expression.innerText()).includes(value);
			});
			return;
		}
		if ((await input.getAttribute('role')) !== 'combobox') return await input.fill(value);
		await input.click();
		await this.page.getByRole('option', { name: value }).click();
	}

	/** The fields under their label; n8n puts a star or nothing behind that. */
	item(within: Locator, label: string): Locator {
		const startsWithLabel = new RegExp(`^\\s*${label.replaceAll(/[()]/g, '\\$&')}`);
		return within
			.locator('[data-test-id="parameter-item"], [data-test-id="credential-connection-parameter"]')
			.filter({ hasText: startsWithLabel });
	}

	/** In an open panel. n8n closes the list when it has loaded anew: then a person opens it again. */
	async pickCredential(label: string, choice: string): Promise<void> {
		const list = this.credential(label).getByTestId('node-credentials-select');
		const wanted = this.page.getByText(choice, { exact: true }).filter({ visible: true });
		await until(`the choice of ${choice}`, async () => {
			if (!(await wanted.isVisible())) await list.click();
			return await wanted.click({ timeout: 3000 }).then(
				() => true,
				() => false,
			);
		});
	}

	/** "… if it is not there yet" */
	async chooseCredential(step: DocStep, name: string): Promise<void> {
		const label = step.named('Credential');
		const list = this.credential(label).locator('input').first();
		if ((await list.inputValue()) !== name) await this.pickCredential(label, name);
	}

	/** The list of credentials under its label. */
	credential(label: string): Locator {
		return this.panel
			.getByTestId('node-credentials-slot')
			.filter({ has: this.page.getByText(label, { exact: true }) });
	}

	/** Adds an option of the node whose panel is open. */
	async addOption(add: string, option: string): Promise<void> {
		await this.panel.getByPlaceholder(add, { exact: true }).click();
		await this.page.getByRole('option', { name: option, exact: true }).click();
	}

	async closePanel(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.panel.waitFor({ state: 'hidden' });
	}

	/** The button below the canvas; a trigger has a small one of its own. */
	async execute(step: DocStep): Promise<void> {
		await this.page
			.getByRole('button', { name: step.named('Execute workflow') })
			.last()
			.click();
	}

	/** Waits until the node has succeeded. */
	async untilDone(node: string): Promise<void> {
		await this.node(node).getByTestId('canvas-node-status-success').waitFor();
	}

	node(name: string): Locator {
		return canvasNode(this.page, name);
	}

	get panel(): Locator {
		return this.page.getByTestId('ndv');
	}
}
