// The tasks of docs/how-to.md, as clicks.
import { join } from 'node:path';

import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { saveChain, sendLetter, START } from '../real-n8n/workflows.ts';
import { byReceiver, sandboxState } from '../support/sandbox.ts';
import type { DocStep } from './doc-steps.ts';
import type { Person } from './person.ts';
import { sendTo } from './service.ts';

/** Does the tasks as a person would, who is logged in. */
export class HowTo {
	private readonly person: Person;
	private readonly stack: Stack;
	private bounced = '';

	constructor(person: Person, stack: Stack) {
		this.person = person;
		this.stack = stack;
	}

	/** What each step of a task takes, by the heading of the task. */
	readonly tasks: Record<string, Array<(step: DocStep) => Promise<void>>> = {
		'Enter a credential': [
			async (step) => {
				await this.page.getByText(step.named('Overview'), { exact: true }).first().click();
				step.named('Create workflow');
				await this.page.getByTestId('add-resource').getByRole('button').last().click();
				await this.page.getByRole('menuitem', { name: step.named('Create credential') }).click();
				await this.page
					.getByTestId('new-credential-type-select')
					.locator('input')
					.fill(step.typed('registered delivery api'));
				await this.page
					.getByRole('option', { name: step.named('Registered Delivery API'), exact: true })
					.click();
				await this.page.getByRole('button', { name: step.named('Continue') }).click();
				await this.modal.waitFor();
			},
			async (step) => {
				const { page } = this;
				const accounts = await this.person.context.newPage();
				await accounts.goto(this.stack.sandbox.pageUrl);
				await accounts.getByRole('link', { name: step.named('Accounts') }).click();
				const card = accounts.getByRole('region', { name: step.named('Atelier Nord') });
				const values = card.locator('li').filter({ has: accounts.locator('[data-copy]') });
				for (const value of await values.all()) {
					const name = (await value.locator('.unseen').innerText()).trim();
					await accounts.bringToFront();
					await value
						.getByRole('button', { name: `${step.named('Copy')} ${step.named(name)}` })
						.click();
					await value.getByRole('button', { name: 'Copied' }).waitFor();
					await page.bringToFront();
					await this.field(name).click();
					await page.keyboard.press('ControlOrMeta+V');
				}
				await accounts.close();
			},
			async (step) => {
				await this.field(step.named('Follow Letters With')).click();
				await this.page.getByRole('option', { name: step.named('Webhook Receiver') }).click();
				await this.field(step.named('Receiver URL')).fill(this.stack.receiver.url);
				await this.field(step.named('Receiver Token')).fill(this.stack.managementToken);
			},
			async (step) => {
				await this.page.getByRole('button', { name: step.named('Save'), exact: true }).click();
				await this.modal.getByText(step.named('Connection tested successfully')).waitFor();
			},
		],

		'Send a letter again after a bounce': [
			async (step) => {
				this.bounced = await sendTo(this.stack.sandbox, 'LS', 'bounce@example.com', 'Hello');
				await this.person.createWorkflow(step, 'Trigger manually');
			},
			async (step) => {
				await this.addSendLetter(step, 'When clicking ‘Execute workflow’', {
					search: step.typed('resend letter'),
					operation: step.named('Resend letter to contact (charged)'),
				});
			},
			async (step) => {
				await this.person.chooseCredential(step, SERVICE_CREDENTIAL);
				await this.person.fillIn(step, { 'Message ID': this.bounced });
			},
			async (step) => {
				await this.person.execute(step);
				await this.person.untilDone('Send Letter');
				await this.person.node(step.named('Send Letter')).dblclick();
				const output = this.person.panel.getByTestId('output-panel');
				const { messages } = await sandboxState(this.stack.sandbox);
				const sent = messages.find(({ contact }) => contact.email === 'open@example.com');
				for (const text of [this.bounced, String(sent?.id)]) {
					await output.getByText(text, { exact: true }).first().waitFor();
				}
			},
		],

		'Ask who has not answered': [
			async (step) => {
				const reader = { email: 'never@example.com', firstname: 'Ada', lastname: 'Martin' };
				const letter = sendLetter({ type: 'LRE', recipientsJson: JSON.stringify([reader]) });
				const { receiver, managementToken } = this.stack;
				const follow = byReceiver(receiver.url, managementToken);
				await this.stack.api.run(await saveChain(this.stack, 'To Ada', [START, letter], follow));
				await this.person.createWorkflow(step, 'Trigger manually');
			},
			async (step) => {
				await this.person.addAfter(this.person.plus(step, 'When clicking ‘Execute workflow’'), {
					search: step.typed('find letters'),
					choices: [step.named('Registered Delivery: Get Status'), step.named('Get many letters')],
				});
			},
			async (step) => {
				await this.person.chooseCredential(step, SERVICE_CREDENTIAL);
				await this.person.addOption(step.named('Add option'), step.named('Outcome'));
				const outcome = this.person.item(this.person.panel, 'Outcome').locator('input').first();
				await until('the option to say so', async () => {
					return (await outcome.inputValue()) === step.named('Open');
				});
				await this.person.closePanel();
			},
			async (step) => {
				await this.person.execute(step);
				await this.person.untilDone('Get Status');
				await this.person.node(step.named('Get Status')).dblclick();
				const output = this.person.panel.getByTestId('output-panel');
				await output.getByText('never@example.com').first().waitFor();
				step.typed('link');
				await output.getByText(`${this.stack.receiver.url}/#/letters/`).first().waitFor();
			},
		],

		'Write a row when a letter is answered': [
			async (step) => {
				await this.page.getByRole('button', { name: step.named('Create workflow') }).click();
				// n8n closes a menu that was opened before the canvas is there.
				await this.page.getByTestId('canvas-add-button').waitFor();
				step.named('⋯');
				await this.page.getByTestId('workflow-menu').first().click();
				await this.page.getByRole('menuitem', { name: step.named('Import') }).click();
				const choosing = this.page.waitForEvent('filechooser');
				await this.page.getByRole('menuitem', { name: step.named('From file') }).click();
				await (await choosing).setFiles(join(root, 'examples', 'row-for-each-answer.json'));
			},
			async (step) => {
				await this.person.node(step.named('When a letter is answered')).dblclick();
				step.named(SERVICE_CREDENTIAL);
				await this.person.chooseCredential(step, SERVICE_CREDENTIAL);
				await this.person.closePanel();
			},
			async (step) => {
				const trigger = this.person.node(step.named('When you set it up'));
				await trigger.hover();
				await trigger.getByRole('button', { name: step.named('Execute workflow') }).click();
				await this.person.untilDone('Create the table');
			},
			async (step) => {
				const publish = { name: step.named('Publish'), exact: true };
				await this.page.getByRole('button', publish).click();
				await this.page.getByRole('dialog').getByRole('button', publish).click();
				await until('n8n to pull', async () => {
					return (await this.stack.consumers()).some(({ held }) => held);
				});
			},
			async (step) => {
				await this.sendWatched('accept@example.com');
				await this.page.goto(this.stack.n8n.url);
				await this.page.getByText(step.named('Overview'), { exact: true }).first().click();
				await this.page.getByText(step.named('Data tables'), { exact: true }).click();
				await this.page.getByText(step.named('Answers to letters')).click();
				await this.page.getByText('letter.accepted', { exact: true }).first().waitFor();
			},
		],

		'Attach a file from a form': [
			async (step) => {
				await this.person.createWorkflow(step, 'On form submission');
				await this.person.panel.waitFor();
			},
			async (step) => {
				const { person } = this;
				await person.fill(step.named('Form Title'), step.typed('Send a contract'));
				const add = { name: step.named('Add Form Element') };
				for (const [index, label] of ['email', 'firstname', 'lastname', 'contract'].entries()) {
					await person.panel.getByRole('button', add).click();
					await person.item(person.panel, step.named('Label')).nth(index).waitFor();
					await person.fill('Label', step.typed(label));
				}
				await person.fill(step.named('Element Type'), step.named('File'));
				await person.closePanel();
			},
			async (step) => {
				await this.addSendLetter(step, 'On form submission', {
					search: step.typed('send letter'),
					operation: step.named('Send letter (charged)'),
				});
				await this.person.chooseCredential(step, SERVICE_CREDENTIAL);
				await this.person.fillIn(step);
			},
			async (step) => {
				const opening = this.person.context.waitForEvent('page');
				await this.person.execute(step);
				const form = await opening;
				await form.getByLabel('email').fill('carla@example.com');
				await form.getByLabel('firstname').fill('Carla');
				await form.getByLabel('lastname').fill('Diaz');
				const contract = Buffer.from('%PDF-1.4 The contract');
				const file = { name: 'contract.pdf', mimeType: 'application/pdf', buffer: contract };
				await form.getByLabel('contract').setInputFiles(file);
				await form.getByRole('button', { name: step.named('Submit') }).click();
				await this.person.untilDone('Send Letter');
				const { messages } = await sandboxState(this.stack.sandbox);
				expect(messages.at(-1)).toMatchObject({
					contact: { email: 'carla@example.com' },
					body: '<p>Dear Carla, please find your contract attached.</p>',
					attachments: [{ name: 'contract.pdf', size: contract.length }],
				});
			},
		],
	};

	private get modal() {
		return this.page.getByTestId('editCredential-modal');
	}

	/** Of a credential. */
	private field(name: string) {
		return this.person.item(this.modal, name).locator('input, textarea').first();
	}

	private get page() {
		return this.person.page;
	}

	private async addSendLetter(
		step: DocStep,
		after: string,
		{ search, operation }: { search: string; operation: string },
	): Promise<void> {
		await this.person.addAfter(this.person.plus(step, after), {
			search,
			choices: [step.named('Registered Delivery: Send Letter'), operation],
		});
	}

	/** Sends a registered letter that the receiver watches, and waits until its answer has come. */
	private async sendWatched(email: string): Promise<void> {
		const { api } = this.stack;
		const workflow = await this.stack.importExample('invitation.json', ({ nodes }) => {
			const letter = nodes.find(({ name }) => name === 'Schedule the letters');
			const person = { email, firstname: 'Ada', lastname: 'Martin' };
			Object.assign(letter?.parameters as object, {
				type: 'LRE',
				recipientsFrom: 'json',
				recipientsJson: JSON.stringify([person]),
				body: '<p>Hello</p>',
				options: { watch: true },
			});
		});
		await api.run(workflow);
		const { id = '' } =
			(await api.findWorkflow('Letter accepted or refused: a row in a table')) ?? {};
		await until('its execution', async () => (await api.executionIds(id)).length > 0);
	}
}
