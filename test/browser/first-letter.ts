// The section "Your first registered letter in five minutes" of the README, as clicks.
import type { Browser, BrowserContext, Download, Locator, Page } from 'playwright-core';

import { until } from '../n8n/poll.ts';
import type { PrintedRow } from '../support/npm-start.ts';
import type { ReadmeStep } from './readme-steps.ts';

export const SECTION = 'Your first registered letter in five minutes';

/** Walks through the section with a person's means alone: what stands on the screen, clicks, and keys. */
export class FirstLetter {
	/** The files of the last step. */
	readonly evidence: Download[] = [];
	private editor!: Page;
	private readonly context: BrowserContext;
	private readonly printed: (row: string) => PrintedRow;

	private constructor(context: BrowserContext, printed: (row: string) => PrintedRow) {
		this.context = context;
		this.printed = printed;
	}

	/** @param printed what `npm start` has printed of a part */
	static async begin(
		browser: Browser,
		colorScheme: 'light' | 'dark',
		printed: (row: string) => PrintedRow,
		deviceScaleFactor = 1,
	): Promise<FirstLetter> {
		const context = await browser.newContext({
			...{ colorScheme, deviceScaleFactor, locale: 'en-GB' },
			viewport: { width: 1280, height: 860 },
			// A person's browser lets them copy by a click; without a screen it wants to be told.
			permissions: ['clipboard-read', 'clipboard-write'],
		});
		context.setDefaultTimeout(60_000);
		const walk = new FirstLetter(context, printed);
		walk.editor = await context.newPage();
		return walk;
	}

	/** What each step of the README takes, in its order. */
	readonly steps: Array<(step: ReadmeStep) => Promise<void>> = [
		async (step) => {
			const { address, note } = this.printed(step.named('n8n editor'));
			const [email, password] = note.split(' / ');
			await this.editor.goto(address);
			await this.editor.getByLabel('Email').fill(email);
			await this.editor.getByLabel('Password').fill(password);
			await this.editor.getByRole('button', { name: 'Sign in' }).click();
		},

		async (step) => {
			await this.editor.getByRole('button', { name: step.named('Create workflow') }).click();
			await this.editor
				.getByTestId('canvas-add-button')
				.filter({ hasText: step.named('Add first step…') })
				.getByRole('button')
				.click();
			await this.choose(step.named('Trigger manually'));
		},

		async (step) => {
			await this.addAfter(this.plus(step, 'When clicking ‘Execute workflow’'), {
				search: step.typed('registered letter'),
				choices: [
					step.named('Registered Delivery: Send Letter'),
					step.named('Send letter (charged)'),
				],
			});
		},

		async (step) => {
			await this.pickCredential(
				step.named('Delivery Service'),
				step.named('Create new credential'),
			);
			await this.copyCredential(step);
			await this.editor.getByRole('button', { name: step.named('Save'), exact: true }).click();
			// n8n closes it by itself, once the test has succeeded.
			await this.editor.getByTestId('editCredential-modal').waitFor({ state: 'hidden' });
		},

		async (step) => {
			for (const { label, value } of step.fields()) await this.fill(label, value);
			await this.closePanel();
		},

		async (step) => {
			await this.addAfter(this.plus(step, 'Send Letter'), {
				search: step.typed('await outcome'),
				choices: [step.named('Registered Delivery: Await Outcome'), step.named('Add to workflow')],
			});
			await this.pickCredential(
				step.named('Webhook Receiver (or, Below, This n8n)'),
				step.named('Registered Delivery Receiver (local)'),
			);
			await this.closePanel();
		},

		async (step) => {
			await this.addAfter(this.plus(step, 'Await Outcome', step.named('Accepted')), {
				search: step.typed('evidence'),
				choices: [
					step.named('Registered Delivery: Download Evidence'),
					step.named('Download evidence'),
				],
			});
			await this.closePanel();
		},

		async (step) => {
			// Below the canvas; the trigger has a small one of its own.
			const execute = this.editor.getByRole('button', { name: step.named('Execute workflow') });
			await execute.last().click();
			await this.node('Download Evidence').getByTestId('canvas-node-status-success').waitFor();
		},

		async (step) => {
			await this.node(step.named('Download Evidence')).dblclick();
			const buttons = this.panel.getByRole('button', { name: step.named('Download'), exact: true });
			await buttons.first().waitFor();
			for (const button of await buttons.all()) {
				const downloading = this.editor.waitForEvent('download');
				await button.click();
				this.evidence.push(await downloading);
			}
		},
	];

	/** The editor as it is now. */
	get page(): Page {
		return this.editor;
	}

	/** Copies each value from the sandbox's page and pastes it into the field of the same name. */
	private async copyCredential(step: ReadmeStep): Promise<void> {
		const page = await this.context.newPage();
		await page.goto(this.printed(step.named('Mails of the sandbox')).address);
		await page.getByRole('link', { name: step.named('Accounts') }).click();
		const card = page.getByRole('region', { name: step.named('Atelier Nord') });
		const values = await card
			.locator('li')
			.filter({ has: page.locator('[data-copy]') })
			.all();
		for (const value of values) {
			const name = (await value.locator('.unseen').innerText()).trim();
			await page.bringToFront();
			await value
				.getByRole('button', { name: `${step.named('Copy')} ${step.named(name)}` })
				.click();
			await value.getByRole('button', { name: 'Copied' }).waitFor();
			await this.editor.bringToFront();
			await this.field(this.editor.getByTestId('editCredential-modal'), name).click();
			await this.editor.keyboard.press('ControlOrMeta+V');
		}
		await page.close();
	}

	/** The + at an output of a node, which is named if there are several. */
	private plus(step: ReadmeStep, node: string, output = ''): Locator {
		step.named('+');
		return this.editor
			.locator(`[data-test-id="canvas-node-output-handle"][data-node-name="${node}"]`)
			.filter({ hasText: output })
			.getByTestId('canvas-handle-plus');
	}

	/** Adds a node, whose panel opens by itself. */
	private async addAfter(
		plus: Locator,
		{ search, choices }: { search: string; choices: string[] },
	): Promise<void> {
		await plus.click();
		await this.editor.getByTestId('node-creator-search-bar').fill(search);
		for (const choice of choices) await this.choose(choice);
		await this.panel.waitFor();
	}

	/** In the list of nodes and their actions. */
	private async choose(name: string): Promise<void> {
		await this.editor.getByTestId('node-creator').getByText(name, { exact: true }).click();
	}

	private async fill(label: string, value: string): Promise<void> {
		const field = this.field(this.panel, label);
		if ((await field.getAttribute('role')) !== 'combobox') return await field.fill(value);
		await field.click();
		await this.editor.getByRole('option', { name: value }).click();
	}

	/** The input under its label; n8n puts a star or nothing behind that. */
	private field(within: Locator, label: string): Locator {
		const startsWithLabel = new RegExp(`^\\s*${label.replaceAll(/[()]/g, '\\$&')}`);
		return within
			.locator('[data-test-id="parameter-item"], [data-test-id="credential-connection-parameter"]')
			.filter({ hasText: startsWithLabel })
			.locator('input, textarea')
			.first();
	}

	/** In an open panel. n8n closes the list when it has loaded anew: then a person opens it again. */
	private async pickCredential(label: string, choice: string): Promise<void> {
		const list = this.panel
			.getByTestId('node-credentials-slot')
			.filter({ has: this.editor.getByText(label, { exact: true }) })
			.getByTestId('node-credentials-select');
		const wanted = this.editor.getByText(choice, { exact: true }).filter({ visible: true });
		await until(`the choice of ${choice}`, async () => {
			if (!(await wanted.isVisible())) await list.click();
			return await wanted.click({ timeout: 3000 }).then(
				() => true,
				() => false,
			);
		});
	}

	private async closePanel(): Promise<void> {
		await this.editor.getByTestId('ndv-close-button').click();
		await this.panel.waitFor({ state: 'hidden' });
	}

	private node(name: string): Locator {
		return this.editor.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	private get panel(): Locator {
		return this.editor.getByTestId('ndv');
	}
}
