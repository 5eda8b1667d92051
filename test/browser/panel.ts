// The panel of an open node in n8n's editor, as a person uses it.
import type { INodeProperties } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import { until } from '../n8n/poll.ts';
import type { Step } from './choices.ts';

/** Seconds in which the panel must show what was done. */
const PATIENCE = 10;

/** Selectors go by n8n's test ids; see `selectors.setTestIdAttribute`. */
export class Panel {
	private readonly page: Page;

	constructor(page: Page) {
		this.page = page;
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async open(node: string): Promise<void> {
		// Left open by what failed before.
		if (await this.root.isVisible()) await this.close();
		await this.node(node).dblclick();
		await this.root.waitFor();
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}

	/** @throws Error if the panel does not show it afterwards */
	async take(step: Step): Promise<void> {
		if (step.do === 'add entry') return await this.addEntry(step);
		if (step.do === 'add row') return await this.addRow(step);
		await this.set(step.path, step.field, step.value);
		await this.untilShown(step);
	}

	/** Waits until the panel shows the value that the step set. */
	async untilShown({ path, field, value }: Extract<Step, { do: 'set' }>): Promise<void> {
		const wanted = JSON.stringify(display(field, value));
		let shown = '';
		const look = async () => {
			shown = JSON.stringify(await this.shown(path, field, value));
			return shown === wanted;
		};
		await until(`${path} to show ${wanted}`, look, PATIENCE).catch((error: Error) => {
			throw new Error(`${error.message} It shows ${shown}.`);
		});
	}

	private get root(): Locator {
		return this.page.getByTestId('ndv');
	}

	private field(path: string): Locator {
		return this.root.locator(`[data-parameter-path="parameters.${path}"]`);
	}

	private async set(path: string, field: INodeProperties, value: unknown): Promise<void> {
		const at = this.field(path);
		switch (field.type) {
			case 'options':
				await at.getByRole('combobox').click();
				return await this.pick(labelOf(field, value));
			case 'multiOptions':
				return await this.setMany(at, field, value as unknown[]);
			case 'boolean':
				// Away and back, where it has the value already.
				await at.locator('.el-switch').click();
				if ((await isOn(at)) !== value) await at.locator('.el-switch').click();
				return;
			case 'resourceLocator':
				return await this.setLocator(at, field, value as { mode: string; value: string });
			case 'json':
				await at.locator('.cm-content').click();
				return await this.page.keyboard.insertText(String(value));
			default:
				await textOf(at).fill(String(value).replace('T', ' '));
				await textOf(at).press('Tab');
		}
	}

	private async setMany(at: Locator, field: INodeProperties, values: unknown[]): Promise<void> {
		const chosen = await at.locator('.el-tag').allInnerTexts();
		await at.getByRole('combobox').first().click();
		for (const value of values) {
			const label = labelOf(field, value);
			if (!chosen.includes(label)) await this.choice(label).click();
		}
		await this.page.keyboard.press('Escape');
	}

	private async setLocator(
		at: Locator,
		field: INodeProperties,
		{ mode, value }: { mode: string; value: string },
	): Promise<void> {
		await at.getByTestId('rlc-mode-selector').getByRole('combobox').click();
		await this.pick(modeLabel(field, mode));
		const input = at.getByTestId('rlc-input');
		if (mode !== 'list') return await input.fill(value);
		await input.click();
		await this.page.getByTestId('rlc-item').first().click();
	}

	private async addEntry({ entry }: Extract<Step, { do: 'add entry' }>): Promise<void> {
		// There is one collection of options in a node.
		const add = this.root.getByTestId('collection-parameter-add');
		await add.click();
		// Of a single entry it is a button, otherwise a list.
		if ((await add.getByRole('combobox').count()) > 0) await this.pick(entry.displayName);
	}

	private async addRow({ path }: Extract<Step, { do: 'add row' }>): Promise<void> {
		await this.root
			.getByTestId(`fixed-collection-${path.split('.').at(-1)}`)
			.getByTestId('fixed-collection-add')
			.click();
	}

	private choice(label: string): Locator {
		const text = this.page.getByText(label, { exact: true });
		return this.page.getByRole('option').filter({ has: text }).first();
	}

	private async pick(label: string): Promise<void> {
		const choice = this.choice(label);
		await choice.click();
		await choice.waitFor({ state: 'hidden' });
	}

	private async shown(path: string, field: INodeProperties, value: unknown): Promise<unknown> {
		const at = this.field(path);
		if ((await at.count()) !== 1) return `${await at.count()} such fields`;
		switch (field.type) {
			case 'multiOptions':
				return await at.locator('.el-tag').allInnerTexts();
			case 'boolean':
				return await isOn(at);
			case 'resourceLocator': {
				const mode = await at.getByTestId('rlc-mode-selector').getByRole('combobox').inputValue();
				const text = await at.getByTestId('rlc-input').inputValue();
				return [
					mode.toLowerCase(),
					(value as { mode: string }).mode === 'list' ? text !== '' : text,
				];
			}
			case 'json':
				return (await at.locator('.cm-line').allInnerTexts()).join('\n');
			case 'options':
				return await at.getByRole('combobox').inputValue();
			default:
				return await textOf(at).inputValue();
		}
	}
}

/** What the panel is to show for a value. */
function display(field: INodeProperties, value: unknown): unknown {
	switch (field.type) {
		case 'options':
			return labelOf(field, value);
		case 'multiOptions':
			return (value as unknown[]).map((one) => labelOf(field, one));
		case 'resourceLocator': {
			const { mode, value: id } = value as { mode: string; value: string };
			return [modeLabel(field, mode).toLowerCase(), mode === 'list' ? true : id];
		}
		case 'boolean':
			return value;
		case 'dateTime':
			return String(value).replace('T', ' ');
		default:
			return String(value);
	}
}

function labelOf({ options = [] }: INodeProperties, value: unknown): string {
	const option = options.find((one) => 'value' in one && one.value === value);
	return option?.name ?? String(value);
}

// n8n has its own words for the modes it knows.
const modeLabel = ({ modes = [] }: INodeProperties, mode: string): string =>
	mode === 'list' ? 'From list' : (modes.find(({ name }) => name === mode)?.displayName ?? mode);

const textOf = (at: Locator) => at.locator('input, textarea').first();

const isOn = async (at: Locator) =>
	(await at.getByRole('switch').getAttribute('aria-checked')) === 'true';
