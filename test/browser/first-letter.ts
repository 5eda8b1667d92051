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
			await this.person.chooseCredential(step, step.named('Registered Delivery (sandbox)'));
		},

		async (step) => await this.person.fillIn(step),

		async (step) => {
			await this.person.addAfter(this.person.plus(step, 'Send Letter'), {
				search: step.typed('await outcome'),
				choices: [step.named('Registered Delivery: Await Outcome'), step.named('Add to workflow')],
			});
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
}
