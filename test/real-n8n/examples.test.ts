// Every workflow in examples/ runs as it is, with this stack's credentials.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Execution } from '../n8n/api.ts';
import { using } from '../n8n/example-workflows.ts';
import { until } from '../n8n/poll.ts';
import { HurriedClock } from '../support/hurried-clock.ts';
import { startMailbox, type Mailbox } from '../support/mailbox.ts';
import { byReceiver, sandboxState } from '../support/sandbox.ts';
import { untilAsleep } from './awaiting.ts';
import { saveN8nKey } from './follow.ts';
import { ELSEWHERE, refuseBatch } from './elsewhere.ts';
import { fillIn } from './forms.ts';
import { press, saveSmtp } from './mails.ts';
import { node, saveChain, START } from './workflows.ts';
import { stack, useStack } from './use-stack.ts';

jest.setTimeout(240_000);

const clock = new HurriedClock();
useStack({
	receiverDependencies: { clock },
	receiverEnv: { WATCH_DELAYS: '0s:1s' },
});

/** Where a notice of the escalation comes from. */
const FORM = 'When somebody fills in the form';

const output = ({ output: nodes }: Execution, name: string) => nodes[name].map(({ json }) => json);

async function rowsOf(table: string) {
	const get = node('Rows', 'n8n-nodes-base.dataTable', 1.1, {
		resource: 'row',
		operation: 'get',
		returnAll: true,
		filters: {},
		dataTableId: { __rl: true, mode: 'name', value: table },
	});
	const read = await saveChain(stack, `Rows of ${table}`, [START, get]);
	return output(await stack.api.run(read), 'Rows');
}

it('a letter that is accepted or refused writes a row into a table of n8n', async () => {
	const workflow = await stack.importExample('row-for-each-answer.json');
	const created = await stack.api.run(workflow, { from: 'When you set it up' });
	expect(created).toMatchObject({ status: 'success', error: null });
	await stack.activate(workflow);
	const letters = node('Send Letter', 'n8n-nodes-registered-delivery.sendLetter', 1, {
		operation: 'send',
		type: 'LRE',
		body: '<p>Hello</p>',
		recipientsFrom: 'json',
		recipientsJson: JSON.stringify(
			['accept', 'refuse', 'never'].map((name) => ({
				email: `${name}@rows.example`,
				firstname: 'Ada',
				lastname: 'Martin',
			})),
		),
		options: { watch: true, fileReference: 'ROW-1' },
	});
	const { receiver, managementToken } = stack;
	const watched = byReceiver(receiver.url, managementToken);
	await stack.api.run(await saveChain(stack, 'Letters for rows', [START, letters], watched));
	const rows = () => rowsOf('Answers to letters');
	await until('two rows', async () => {
		clock.advance(2_000);
		return (await rows()).length === 2;
	});
	const row = {
		messageId: expect.stringMatching(/^\d{12}$/),
		messageType: 'LRE',
		terminal: true,
		fileReference: 'ROW-1',
		occurredAt: null,
		receivedAt: expect.stringMatching(/^20/),
	};
	const byType = (await rows()).sort((one, other) =>
		String(one.type).localeCompare(String(other.type)),
	);
	expect(byType).toMatchObject([
		{ type: 'letter.accepted', status: 'ACCEPTED', ...row },
		{ type: 'letter.refused', status: 'REFUSED', ...row },
	]);
	await stack.deactivate(workflow);
});

describe('mail merge', () => {
	it('gives a result for each row, also for the wrong one', async () => {
		const workflow = await stack.importExample('mail-merge.json');
		const execution = await stack.api.run(workflow);
		expect(execution).toMatchObject({ status: 'success', error: null });
		const id = expect.stringMatching(/^\d{12}$/);
		expect(output(execution, 'Result for each row')).toEqual([
			{ invoice: 'INV-2026-0041', outcome: 'sent', messageId: id, reason: '' },
			{
				invoice: 'INV-2026-0042',
				outcome: 'not sent',
				messageId: '',
				reason: expect.stringContaining('"lastname": It is missing'),
			},
			{ invoice: 'INV-2026-0043', outcome: 'sent', messageId: id, reason: '' },
		]);
		const { messages } = await sandboxState(stack.sandbox);
		expect(messages.map(({ body }) => body).join()).toContain(
			'invoice INV-2026-0043 over 310.00 €',
		);
	});

	it('run again, sends nothing twice', async () => {
		const workflow = await stack.importExample('mail-merge.json');
		const before = (await sandboxState(stack.sandbox)).messages.length;
		const execution = await stack.api.run(workflow);
		expect(output(execution, 'Result for each row')).toMatchObject([
			{ outcome: 'sent' },
			{ outcome: 'not sent' },
			{ outcome: 'sent' },
		]);
		expect((await sandboxState(stack.sandbox)).messages).toHaveLength(before);
	});
});

it('a list and a file in one form: each row says what became of it, and the corrected one alone is sent next', async () => {
	const workflow = await stack.importExample('form-mailing.json');
	await stack.api.run(workflow, { from: 'When you set it up' });
	await stack.api.activate(workflow.id);
	const before = (await sandboxState(stack.sandbox)).messages.length;
	const pdf = new File(['%PDF-1.7 our letter'], 'letter.pdf', { type: 'application/pdf' });
	const send = async (lastname: string) => {
		const rows = ['accept@one', 'refuse@two', 'accept@three', 'refuse@four', 'accept@five'].map(
			(name, row) => `${name}.example,Ada,${row === 4 ? lastname : 'Martin'}`,
		);
		const csv = ['email,firstname,lastname', ...rows].join('\n');
		const list = new File([csv], 'list.csv', { type: 'text/csv' });
		await fillIn(stack, workflow, ['MAILING-7', list, pdf]);
	};
	const told = async (count: number) =>
		await until('a row for each letter', async () => {
			clock.advance(2_000);
			const rows = await rowsOf('Letters of a list');
			const ended = rows.filter(({ outcome }) => outcome !== 'not sent');
			if (ended.length < count || rows.length < 5) return false;
			return rows.sort((one, other) => String(one.email).localeCompare(String(other.email)));
		});
	await send('');
	const sent = { reference: 'MAILING-7', reason: '', messageId: expect.stringMatching(/^\d{12}$/) };
	const others = [
		{ email: 'accept@one.example', outcome: 'accepted', ...sent },
		{ email: 'accept@three.example', outcome: 'accepted', ...sent },
		{ email: 'refuse@four.example', outcome: 'refused', ...sent },
		{ email: 'refuse@two.example', outcome: 'refused', ...sent },
	];
	const wrong = {
		email: 'accept@five.example',
		outcome: 'not sent',
		reason: expect.stringContaining('"lastname": It is missing'),
	};
	const first = await told(4);
	expect(first).toMatchObject([wrong, ...others]);
	// What is wrong is told before the execution sleeps.
	expect(Math.min(...first.map(({ id }) => Number(id)))).toBe(first[0]?.id);
	await send('Martin');
	const mended = { email: 'accept@five.example', outcome: 'accepted', ...sent };
	expect(await told(5)).toMatchObject([mended, ...others]);
	const { messages } = await sandboxState(stack.sandbox);
	expect(messages).toHaveLength(before + 5);
	expect(messages.at(-1)).toMatchObject({ attachments: [{ name: 'letter.pdf' }] });
	await stack.api.deactivate(workflow.id);
});

it('a registered letter waits for its outcome, and its evidence is archived', async () => {
	const archive = stack.n8n.filesFolder;
	const workflow = await stack.importExample(
		'registered-letter-with-evidence.json',
		({ nodes }) => {
			const store = nodes.find(({ name }) => name === 'Store the evidence');
			const fileName = `=${archive}/{{ $binary.data.fileName }}`;
			Object.assign(store?.parameters as object, { fileName });
		},
	);
	const execution = await stack.api.run(workflow);
	expect(execution).toMatchObject({ status: 'success', error: null });
	const [{ messageId }] = output(execution, 'Send Letter');
	const files = (await readdir(archive)).sort();
	expect(files).toEqual([`${messageId}-ACCEPTED.pdf`, `${messageId}-SENT.pdf`]);
	for (const file of files) {
		expect((await readFile(join(archive, file))).subarray(0, 5).toString()).toBe('%PDF-');
	}
});

it('without a receiver, each letter is followed by an execution of its own, and its outcome told', async () => {
	const mailbox = await startMailbox();
	const { rawApiKey } = await stack.api.createApiKey('Of the example');
	const own = {
		smtp: await saveSmtp(stack, mailbox),
		registeredDeliveryApi: await saveN8nKey(stack, rawApiKey),
	};
	const workflow = await stack.importExample('follow-letters-without-receiver.json', using(own));
	await stack.api.activate(workflow.id);
	expect(await stack.api.run(workflow)).toMatchObject({ status: 'success', error: null });
	const told = () =>
		mailbox.mails.map((one) => /^Subject: (.*)$/m.exec(one)?.[1].trim() ?? '').sort();
	await until('two to be told of', async () => told().length === 2, 120);
	const sent = async () => {
		const { messages } = await sandboxState(stack.sandbox);
		return messages.filter(({ fileReference }) => fileReference?.startsWith('LEASE-2026-02'));
	};
	const third = (await sent()).find(({ fileReference }) => fileReference === 'LEASE-2026-023');
	await stack.sandbox.control('POST /messages/{id}/{trigger}', {
		id: third!.id,
		trigger: 'accept',
	});
	await until('the third to be told of', async () => told().length === 3, 120);
	expect(told()).toEqual([
		'LEASE-2026-021: accepted',
		'LEASE-2026-022: refused',
		'LEASE-2026-023: accepted',
	]);
	// What somebody does who is in doubt.
	expect(await stack.api.run(workflow)).toMatchObject({ status: 'success', error: null });
	await until('all to be told of again', async () => told().length === 6, 120);
	expect(await sent()).toHaveLength(3);
	const ids = await stack.api.executionIds(workflow.id);
	const executions = await Promise.all(ids.map(async (id) => await stack.api.finished(id)));
	expect(executions.map(({ status }) => status)).toEqual(Array(8).fill('success'));
	await stack.api.deactivate(workflow.id);
	await mailbox.close();
});

it('a consent drive asks each contact, once, and reminds who has not answered', async () => {
	const workflow = await stack.importExample('consent-drive.json');
	const asked = await stack.api.run(workflow, { from: 'When you start it' });
	expect(asked).toMatchObject({ status: 'success', error: null });
	const consents = output(asked, 'Request Consent');
	expect(consents.map(({ email, state }) => [email, state])).toEqual([
		['ada@contacts.example', 'PENDING'],
		['hello@company.example', 'PENDING'],
	]);
	await stack.sandbox.control('POST /consents/{id}/{answer}', {
		id: consents[0].id as string,
		answer: 'accept',
	});

	// Asked again, who has consented would have no consent until the new request is answered.
	const twice = await stack.api.run(workflow, { from: 'When you start it' });
	expect(twice).toMatchObject({ status: 'success', error: null });
	expect(output(twice, 'Each Contact')).toHaveLength(2);
	expect(twice.output).not.toHaveProperty('Request Consent');

	const reminded = await stack.api.run(workflow, { from: 'Remind Now' });
	expect(reminded).toMatchObject({ status: 'success', error: null });
	expect(output(reminded, 'Still Pending').map(({ email }) => email)).toEqual([
		'hello@company.example',
	]);
	expect(output(reminded, 'Remind them')[0]).toHaveProperty('message');
});

it('customer onboarding creates all customers, and sets each one’s logo', async () => {
	const workflow = await stack.importExample('customer-onboarding.json');
	const execution = await stack.api.run(workflow);
	expect(execution).toMatchObject({ status: 'success', error: null });
	expect(output(execution, 'Manage Customer').map(({ name, state }) => [name, state])).toEqual([
		['Boulangerie Aurore', 'PENDING'],
		['Garage Nord', 'PENDING'],
	]);
	for (const { logoUrl } of output(execution, 'Set Logo')) {
		expect(logoUrl).toEqual(expect.stringContaining('https://'));
	}
});

describe('preview, approve, send', () => {
	let mailbox: Mailbox;
	beforeAll(async () => {
		mailbox = await startMailbox();
	});
	afterAll(() => mailbox.close());

	/** Runs the example up to its wait, answers the mail, and returns the complete execution. */
	async function runAndAnswer(button: 'Approve' | 'Decline'): Promise<[string, Execution]> {
		const smtp = await saveSmtp(stack, mailbox);
		const workflow = await stack.importExample('preview-approve-send.json', using({ smtp }));
		const count = mailbox.mails.length;
		const execution = stack.api.run(workflow);
		const mail = await until('the mail that asks', async () => mailbox.mails[count]);
		await press(mail, button);
		return [mail, await execution];
	}
	const sent = async () => {
		const { messages } = await sandboxState(stack.sandbox);
		return messages.filter(({ fileReference }) => /^INV-2026-007/.test(fileReference ?? ''));
	};

	it('declined, sends nothing', async () => {
		const [mail, execution] = await runAndAnswer('Decline');
		expect(mail).toContain('Subject: Send 2 letters?');
		expect(mail).toContain('2 letters would go out in 2 requests: 2 LS. 1 of 3 rows has problems');
		expect(mail).toMatch(/Row 2: Recipients: .{1,6}lastname.{1,6}: It is missing\./);
		expect(execution).toMatchObject({ status: 'success', error: null });
		expect(execution.output).not.toHaveProperty('Send Letter');
		expect(await sent()).toEqual([]);
	});

	it('approved, sends what was shown, and tells of the wrong row', async () => {
		const [, execution] = await runAndAnswer('Approve');
		expect(execution).toMatchObject({ status: 'success', error: null });
		const id = expect.stringMatching(/^\d{12}$/);
		expect(output(execution, 'Send Letter')).toMatchObject([
			{ messageId: id, fileReference: 'INV-2026-0071' },
			{ error: expect.stringContaining('"lastname": It is missing') },
			{ messageId: id, fileReference: 'INV-2026-0073' },
		]);
		expect(await sent()).toHaveLength(2);
	});
});

describe('weeks in seconds, by the clock of the sandbox', () => {
	const WEEKS = 90 * 24 * 60 * 60 * 1000;
	const advance = async () => await stack.sandbox.control.advance(WEEKS);

	it('invitation: scheduled, postponed by the form, and sent again once after a bounce', async () => {
		const workflow = await stack.importExample('invitation.json');
		await stack.api.activate(workflow.id);
		const execution = await stack.api.run(workflow);
		expect(execution).toMatchObject({ status: 'success', error: null });
		const ids = output(execution, 'Schedule the letters').map(({ messageId }) => String(messageId));
		const letters = async () => {
			const { messages } = await sandboxState(stack.sandbox);
			return messages.filter(({ fileReference }) => fileReference === 'INVITATION-2026');
		};
		const times = async () =>
			(await letters()).map(({ scheduledAt }) => Date.parse(String(scheduledAt)));
		const before = await times();
		expect(ids).toHaveLength(2);

		await fillIn(stack, workflow, [ids.join(', '), '3']);
		const twoDays = 2 * 24 * 60 * 60 * 1000;
		await until('both to be postponed', async () =>
			(await times()).every((time, at) => Math.abs(time - before[at] - twoDays) < 10 * 60_000),
		);

		await advance();
		const again = () => letters().then((all) => all.filter(({ resendOf }) => resendOf !== null));
		await until('the bounced one to be sent again', async () => (await again()).length > 0);
		expect(await again()).toMatchObject([{ contact: { email: 'bounce@recipients.example' } }]);
		await stack.api.deactivate(workflow.id);
	});

	it('escalation: who does not open the mail gets a letter, then a registered one', async () => {
		const workflow = await stack.importExample('escalation.json');
		await stack.api.activate(workflow.id);
		const notice = async (...answers: string[]) => {
			const known = await stack.api.executionIds(workflow.id);
			await fillIn(stack, workflow, answers);
			return await until('the execution', async () =>
				(await stack.api.executionIds(workflow.id)).find((one) => !known.includes(one)),
			);
		};
		const rent = 'your rent is due';
		const ada = await notice('NOTICE-11', 'open@recipients.example', 'Ada', 'Martin', rent);
		const ben = await notice('NOTICE-12', 'ben@recipients.example', 'Ben', 'Okafor', rent);
		const chloe = await notice('NOTICE-13', 'never@recipients.example', 'Chloé', 'Dubois', rent);
		// Ada opens hers at once, perhaps before her execution can fall asleep.
		for (const id of [ben, chloe]) await untilAsleep(stack, id);

		const letters = async (reference: string) => {
			const { messages } = await sandboxState(stack.sandbox);
			return messages.filter(({ fileReference }) => fileReference === reference);
		};
		const untilStatus = (reference: string, type: string, status: string) =>
			until(`${type} ${reference} to be ${status}`, async () =>
				(await letters(reference)).find((one) => one.type === type && one.status === status),
			);
		const outcome = async (id: string, wait: string) => {
			const execution = await stack.api.finished(id);
			expect(execution).toMatchObject({ status: 'success', error: null });
			const left = execution.runs[wait].flatMap((outputs) =>
				outputs.flatMap((items, output) => items.map(({ json }) => [output, json.outcome])),
			);
			const types = (await letters(String(output(execution, FORM)[0].reference))).map(
				({ type }) => type,
			);
			return [left, types];
		};
		const [ACCEPTED, , OPENED] = [0, 1, 2];
		const because = (words: string) => expect.objectContaining({ outcome: words }) as unknown;

		expect(await outcome(ada, 'Wait 7 days for its opening')).toEqual([
			[[OPENED, because('opened')]],
			['AES'],
		]);
		await untilStatus('NOTICE-12', 'AES', 'RECEIVED');
		await advance();
		await untilStatus('NOTICE-12', 'LS', 'RECEIVED');
		expect(await outcome(ben, 'Wait 14 days for its opening')).toEqual([
			[[OPENED, because('received')]],
			['AES', 'LS'],
		]);
		await untilStatus('NOTICE-13', 'LS', 'SENT');
		await advance();
		const { id } = await untilStatus('NOTICE-13', 'LRE', 'SENT');
		await stack.sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: 'accept' });
		expect(await outcome(chloe, 'Wait 30 days for the answer')).toEqual([
			[[ACCEPTED, because('accepted')]],
			['AES', 'LS', 'LRE'],
		]);
		await stack.api.deactivate(workflow.id);
	});

	it('consent gate: asks, reminds, and sends to those who consented, and to nobody else', async () => {
		const consentOf = async (name: string) => {
			const { consents } = await sandboxState(stack.sandbox);
			return consents.find(({ contact }) => contact.email === `${name}@members.example`);
		};
		const accept = async (name: string) => {
			const consent = await until(`the consent of ${name}`, async () => consentOf(name));
			await stack.sandbox.control('POST /consents/{id}/{answer}', {
				id: consent.id,
				answer: 'accept',
			});
		};
		const contact = (name: string) => ({
			email: `${name}@members.example`,
			firstname: name,
			lastname: 'Martin',
		});
		const sentTo = async () => {
			const { messages } = await sandboxState(stack.sandbox);
			return messages.map(({ fileReference }) => fileReference).filter((to) => to?.includes('@'));
		};
		const ask = node('Ask', 'n8n-nodes-registered-delivery.requestConsent', 1, {
			operation: 'create',
			type: 'EMAIL',
			recipientsFrom: 'json',
			recipientsJson: JSON.stringify([contact('chloe')]),
			options: {},
		});
		await stack.api.run(await saveChain(stack, 'Chloé is asked', [START, ask]));
		await accept('chloe');

		const workflow = await stack.importExample('consent-gate.json', ({ nodes }) => {
			const wait = nodes.find(({ type }) => type.endsWith('.awaitConsent'));
			const deadlineAt = '={{ $now.plus({ seconds: 45 }).toISO() }}';
			const options = { remindAfterDays: 5 / 86_400, reminders: 1 };
			Object.assign(wait?.parameters as object, { deadlineMode: 'at', deadlineAt, options });
		});
		await stack.api.activate(workflow.id);
		for (const name of ['ada', 'ben', 'chloe', 'dan'])
			await fillIn(stack, workflow, Object.values(contact(name)));
		await accept('ada');
		await until('Ben to be reminded', async () => {
			const { mails } = await sandboxState(stack.sandbox);
			return mails.filter(({ to }) => to === 'ben@members.example').length === 2;
		});
		await until('two letters', async () => (await sentTo()).length === 2);
		expect((await sentTo()).sort()).toEqual(['ada@members.example', 'chloe@members.example']);
		await accept('ben');

		const ids = await stack.api.executionIds(workflow.id);
		const executions = await Promise.all(ids.map(async (id) => await stack.api.finished(id)));
		expect(executions.map(({ status }) => status)).toEqual(Array(4).fill('success'));
		expect((await sentTo()).sort()).toEqual([
			'ada@members.example',
			'ben@members.example',
			'chloe@members.example',
		]);
		const unanswered = executions.flatMap(({ runs }) => runs['Await Consent'][0][2]);
		expect(unanswered.map(({ json }) => json)).toMatchObject([
			{ email: 'dan@members.example', outcome: { outcome: 'none' } },
		]);
		await stack.api.deactivate(workflow.id);
	});
});

it('receiver needs attention: somebody gets a mail that names the workflow, and when it is over', async () => {
	const mailbox = await startMailbox();
	try {
		const smtp = await saveSmtp(stack, mailbox);
		const alarm = await stack.importExample('receiver-needs-attention.json', using({ smtp }));
		await stack.activate(alarm);
		await refuseBatch(stack, 'tracked_mail.sent', 'broken', async () => {
			await stack.api.run(await stack.importExample('send-tracked-mail.json'));
		});

		const mailThat = async (words: string) => {
			// A receiver looks two minutes after its start, then every minute.
			clock.advance(2 * 60_000);
			return await until(`the mail that says "${words}"`, async () =>
				mailbox.mails.find((mail) => mail.includes(words)),
			);
		};
		const mail = await mailThat('Subject: Needs attention: Invoices');
		expect(mail).toContain('The workflow "Invoices" could not be started for one batch');
		expect(mail).toContain('then hand the batches out again there.');
		expect(mail).toContain(ELSEWHERE.url);
		await stack.receiverApi.call('POST', '/batches/retry?state=dead');
		await mailThat('Subject: Resolved: Invoices');
		await stack.deactivate(alarm);
	} finally {
		await mailbox.close();
	}
});

it('every example is run by a test', async () => {
	const folder = join(process.cwd(), 'test', 'real-n8n');
	const tests = (await readdir(folder)).filter((file) => file.endsWith('.ts'));
	const texts = await Promise.all(tests.map((file) => readFile(join(folder, file), 'utf8')));
	for (const example of await readdir(join(process.cwd(), 'examples'))) {
		if (example.endsWith('.json')) expect(texts.join()).toContain(`'${example}'`);
	}
});
