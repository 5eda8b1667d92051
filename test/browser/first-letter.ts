// The section "Your first registered letter in five minutes" of the README, as clicks.
import type { Download, Page } from 'playwright-core';

import type { PrintedRow } from '../support/npm-start.ts';
import type { DocStep } from './doc-steps.ts';
import type { Person } from './person.ts';

export const SECTION = 'Your first registered letter in five minutes';

/** Walks through the section as a person would. */
export class FirstLetter {
	/** The files of the last step. */
	readonly evidence: Download[] = [];
	private readonly person: Person;
	private readonly printed: (row: string) => PrintedRow;

	/** @param printed what `npm start` has printed of a part */
	constructor(person: Person, printed: (row: string) => PrintedRow) {
		this.person = person;
		this.printed = printed;
	}

	/** What each step of the README takes, in its order. */
	readonly steps: Array<(step: DocStep) => Promise<void>> = [
		async (step) => {
			const { address, note } = this.printed(step.named('n8n editor'));
			const [email, password] = note.split(' / ');
			await this.page.goto(address);
			await this.page.getByLabel('Email').fill(email);
			await this.page.getByLabel('Password').fill(password);
			await this.page.getByRole('button', { name: 'Sign in' }).click();
		},

		async (step) => await this.person.createWorkflow(step, 'Trigger manually'),

		async (step) => {
			await this.person.addAfter(this.person.plus(step, 'When clicking ‘Execute workflow’'), {
				search: step.typed('registered letter'),
				choices: [
					step.named('Registered Delivery: Send Letter'),
					step.named('Send letter (charged)'),
				],
			});
		},

		async (step) => {
			await this.person.pickCredential(
				step.named('Delivery Service'),
				step.named('Create new credential'),
			);
			await this.copyCredential(step);
			await this.page.getByRole('button', { name: step.named('Save'), exact: true }).click();
			// n8n closes it by itself, once the test has succeeded.
			await this.page.getByTestId('editCredential-modal').waitFor({ state: 'hidden' });
		},

		async (step) => await this.person.fillIn(step),

		async (step) => {
			await this.person.addAfter(this.person.plus(step, 'Send Letter'), {
				search: step.typed('await outcome'),
				choices: [step.named('Registered Delivery: Await Outcome'), step.named('Add to workflow')],
			});
			await this.person.pickCredential(
				step.named('Webhook Receiver (or Choose This n8n Below)'),
				step.named('Registered Delivery Receiver (local)'),
			);
			await this.person.closePanel();
		},

		async (step) => {
			const plus = this.person.plus(step, 'Await Outcome', step.named('Accepted'));
			await this.person.addAfter(plus, {
				search: step.typed('evidence'),
				choices: [
					step.named('Registered Delivery: Download Evidence'),
					step.named('Download evidence'),
				],
			});
			await this.person.closePanel();
		},

		async (step) => {
			await this.person.execute(step);
			await this.person.untilDone('Download Evidence');
		},

		async (step) => {
			await this.person.node(step.named('Download Evidence')).dblclick();
			const buttons = this.person.panel.getByRole('button', {
				name: step.named('Download'),
				exact: true,
			});
			await buttons.first().waitFor();
			for (const button of await buttons.all()) {
				const downloading = this.page.waitForEvent('download');
				await button.click();
				this.evidence.push(await downloading);
			}
		},
	];

	/** The editor as it is now. */
	get page(): Page {
		return this.person.page;
	}

	/** Copies each value from the sandbox's page and pastes it into the field of the same name. */
	private async copyCredential(step: DocStep): Promise<void> {
		const page = await this.person.context.newPage();
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
			await this.page.bringToFront();
			const field = this.person.item(this.page.getByTestId('editCredential-modal'), name);
			await field.locator('input, textarea').first().click();
			await this.page.keyboard.press('ControlOrMeta+V');
		}
		await page.close();
	}
}
