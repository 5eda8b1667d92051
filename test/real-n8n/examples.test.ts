// Every workflow in examples/ runs as it is, with this stack's credentials.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startMailbox, type Mailbox } from '../support/mailbox.ts';
import { control, sandboxState } from '../support/sandbox.ts';
import { untilAsleep } from './awaiting.ts';
import { bucketStore, folderStore, type EvidenceStore } from './evidence-stores.ts';
import { node, saveChain, sendLetter, START } from './workflows.ts';

jest.setTimeout(240_000);

let stack: Stack;
let archive: string;
beforeAll(async () => {
	archive = await mkdtemp(join(tmpdir(), 'registered-delivery-archive-'));
	stack = await startTemporaryStack({
		n8nEnv: { N8N_RESTRICT_FILE_ACCESS_TO: archive },
		receiverEnv: { WATCH_DELAYS: '0s:1s' },
	});
}, 300_000);
afterAll(async () => {
	await stack?.close();
	await rm(archive, { recursive: true, force: true });
}, 120_000);

const output = ({ output: nodes }: Execution, name: string) => nodes[name].map(({ json }) => json);

describe('mail merge', () => {
	it('gives a result for each row, also for the wrong one', async () => {
		const workflow = await stack.importExample('mail-merge.json');
		const execution = await stack.api.run(workflow);
		expect(execution).toMatchObject({ status: 'success', error: null });
		const id = expect.stringMatching(/^\d{12}$/);
		expect(output(execution, 'Result per Row')).toEqual([
			{ invoice: 'INV-2026-0041', outcome: 'sent', messageId: id, reason: '' },
			{
				invoice: 'INV-2026-0042',
				outcome: 'not sent',
				messageId: '',
				reason: expect.stringContaining('"lastname" is missing'),
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
		expect(output(execution, 'Result per Row')).toMatchObject([
			{ outcome: 'sent' },
			{ outcome: 'not sent' },
			{ outcome: 'sent' },
		]);
		expect((await sandboxState(stack.sandbox)).messages).toHaveLength(before);
	});
});

it('a registered letter waits for its outcome, and its evidence is archived', async () => {
	const workflow = await stack.importExample(
		'registered-letter-with-evidence.json',
		({ nodes }) => {
			for (const { name, parameters } of nodes) {
				if (name === 'Wait') Object.assign(parameters as object, { amount: 1 });
				if (name !== 'Archive') continue;
				const fileName = `=${archive}/{{ $binary.data.fileName }}`;
				Object.assign(parameters as object, { fileName });
			}
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

it('a consent drive asks each contact, and reminds who has not answered', async () => {
	const workflow = await stack.importExample('consent-drive.json');
	const asked = await stack.api.run(workflow, { from: 'Ask' });
	expect(asked).toMatchObject({ status: 'success', error: null });
	const consents = output(asked, 'Request Consent');
	expect(consents.map(({ email, state }) => [email, state])).toEqual([
		['ada@contacts.example', 'PENDING'],
		['hello@company.example', 'PENDING'],
	]);
	await control(stack.sandbox, 'POST', `/consents/${consents[0].id}/accept`);

	const reminded = await stack.api.run(workflow, { from: 'Remind Now' });
	expect(reminded).toMatchObject({ status: 'success', error: null });
	expect(output(reminded, 'Still Pending').map(({ email }) => email)).toEqual([
		'hello@company.example',
	]);
	expect(output(reminded, 'Remind')[0]).toHaveProperty('message');
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

describe.each(['a folder', 'an S3-compatible store'])('evidence archive in %s', (place) => {
	let store: EvidenceStore;
	let ids: string[];
	beforeAll(async () => {
		store = place === 'a folder' ? folderStore(archive) : await bucketStore();
		// Letters to never@ do nothing unless the test makes it happen.
		const reader = { email: 'never@recipients.example', firstname: 'Ada', lastname: 'Martin' };
		const workflow = await saveChain(stack, `Letters with evidence in ${place}`, [
			START,
			sendLetter({ type: 'LRE', recipientsJson: JSON.stringify([reader, reader]) }),
		]);
		const [{ messages }] = output(await stack.api.run(workflow), 'Send Letter');
		ids = (messages as Array<{ id: string }>).map(({ id }) => id);
	});
	afterAll(() => store?.close());

	async function importArchive(): Promise<StoredWorkflow> {
		const adapt = await store.adapt(stack);
		return await stack.importExample(store.example, (file) => {
			adapt(file);
			const letters = file.nodes.find(({ name }) => name === 'Letters');
			const jsonOutput = JSON.stringify({ messageIds: ids });
			Object.assign(letters?.parameters as object, { jsonOutput });
		});
	}

	/** Archives the letters and returns what the store holds for them. */
	async function archived(): Promise<Record<string, Buffer>> {
		const execution = await stack.api.run(await importArchive(), { from: 'Start' });
		expect(execution).toMatchObject({ status: 'success', error: null });
		return await stored();
	}

	async function stored(): Promise<Record<string, Buffer>> {
		const files = Object.entries(await store.files());
		return Object.fromEntries(files.filter(([name]) => ids.some((id) => name.startsWith(id))));
	}

	const expectManifest = (
		files: Record<string, Buffer>,
		id: string,
		event: string,
		noticedAt: unknown = '',
	) => {
		const pdf = files[`${id}-${event}.pdf`];
		expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
		expect(JSON.parse(files[`${id}-${event}.json`].toString())).toEqual({
			messageId: id,
			event,
			noticedAt,
			archivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
			file: `${id}-${event}.pdf`,
			manifest: `${id}-${event}.json`,
			size: pdf.length,
			sha256: createHash('sha256').update(pdf).digest('hex'),
		});
	};

	it('stores each PDF with a manifest; run again, it adds what is new and leaves the rest alone', async () => {
		const before = await archived();
		for (const id of ids) expectManifest(before, id, 'SENT');
		expect(Object.keys(before)).toHaveLength(4);
		expect(await archived()).toEqual(before);

		await control(stack.sandbox, 'POST', `/messages/${ids[0]}/refuse`);
		const after = await archived();
		expectManifest(after, ids[0], 'REFUSED');
		expect(Object.keys(after)).toHaveLength(6);
		for (const name of Object.keys(before)) expect(after[name]).toEqual(before[name]);
	});

	it('starts by itself when a watched letter has its outcome', async () => {
		const [, id] = ids;
		const workflow = await importArchive();
		await stack.activate(workflow);
		const answer = await fetch(`${stack.receiver.url}/watches/${id}`, {
			method: 'PUT',
			headers: {
				authorization: `Bearer ${stack.managementToken}`,
				'content-type': 'application/json',
			},
			body: '{}',
		});
		expect(answer.ok).toBe(true);
		await control(stack.sandbox, 'POST', `/messages/${id}/accept`);
		// The manifest comes last: once it is there, everything is.
		const files = await until(
			'the manifest of the acceptance',
			async () => {
				const now = await stored();
				return (now[`${id}-ACCEPTED.json`]?.length ?? 0) > 0 && now;
			},
			100,
		);
		await stack.deactivate(workflow);
		expectManifest(files, id, 'ACCEPTED', expect.stringMatching(/^\d{4}-.*Z$/));
	});
});

describe('preview, approve, send', () => {
	let mailbox: Mailbox;
	beforeAll(async () => {
		mailbox = await startMailbox();
	});
	afterAll(() => mailbox.close());

	/** Runs the example up to its wait, answers the mail, and returns the complete execution. */
	async function runAndAnswer(button: 'Approve' | 'Decline'): Promise<[string, Execution]> {
		const smtp = { host: '127.0.0.1', port: mailbox.port, secure: false, disableStartTls: true };
		const id = await stack.api.saveCredential('SMTP account', 'smtp', smtp);
		const workflow = await stack.importExample('preview-approve-send.json', ({ nodes }) => {
			const ask = nodes.find(({ name }) => name === 'Ask for Approval');
			Object.assign(ask?.credentials as object, { smtp: { id, name: 'SMTP account' } });
		});
		const count = mailbox.mails.length;
		const execution = stack.api.run(workflow);
		const mail = await until('the mail that asks', async () => mailbox.mails[count]);
		const link = [...mail.matchAll(/<a href="([^"]+)"[^>]*>([^<]+)<\/a>/g)].find(
			([, , label]) => label === button,
		)?.[1] as string;
		// n8n accepts no answer before it has put the execution to sleep, and none from a non-browser.
		await until('n8n to take the answer', async () => {
			const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
			return (await fetch(link.replaceAll('&amp;', '&'), { headers })).ok;
		});
		return [mail, await execution];
	}
	const sent = async () => {
		const { messages } = await sandboxState(stack.sandbox);
		return messages.filter(({ fileReference }) => /^INV-2026-007/.test(fileReference ?? ''));
	};

	it('declined, sends nothing', async () => {
		const [mail, execution] = await runAndAnswer('Decline');
		expect(mail).toContain('Subject: May 2 letters go out?');
		expect(mail).toContain('2 letters would go out in 2 requests: 2 LS. 1 of 3 items has problems');
		expect(mail).toMatch(/Item 1: Recipients: .{1,6}lastname.{1,6} is missing\./);
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
			{ error: expect.stringContaining('"lastname" is missing') },
			{ messageId: id, fileReference: 'INV-2026-0073' },
		]);
		expect(await sent()).toHaveLength(2);
	});
});

describe('weeks in seconds, by the clock of the sandbox', () => {
	const WEEKS = 90 * 24 * 60 * 60 * 1000;
	const advance = async () => await control(stack.sandbox, 'POST', '/clock/advance', { ms: WEEKS });

	it('escalation: who does not open the mail gets a letter, then a registered one', async () => {
		const workflow = await stack.importExample('escalation.json');
		const id = await stack.api.start(workflow, 'Start');
		const statusOf = async (type: string, reference: string) => {
			const { messages } = await sandboxState(stack.sandbox);
			return messages.find(
				(message) => message.type === type && message.fileReference === reference,
			);
		};
		const untilStatus = (type: string, reference: string, status: string) =>
			until(`${type} ${reference} to be ${status}`, async () => {
				return (await statusOf(type, reference))?.status === status;
			});

		await untilAsleep(stack, id);
		await untilStatus('AES', 'NOTICE-2026-011', 'OPENED');
		await untilStatus('AES', 'NOTICE-2026-012', 'RECEIVED');
		await advance();
		await untilStatus('LS', 'NOTICE-2026-012', 'RECEIVED');
		await untilAsleep(stack, id);
		await advance();
		const registered = await until('the registered letter', async () =>
			statusOf('LRE', 'NOTICE-2026-013'),
		);
		await untilAsleep(stack, id);
		await control(stack.sandbox, 'POST', `/messages/${registered.id}/accept`);

		const execution = await stack.api.finished(id);
		expect(execution).toMatchObject({ status: 'success', error: null });
		expect(output(execution, 'Reached by Mail')).toEqual([
			expect.objectContaining({ reference: 'NOTICE-2026-011', outcome: 'opened' }),
		]);
		expect(output(execution, 'Reached by Letter')).toEqual([
			expect.objectContaining({ reference: 'NOTICE-2026-012', outcome: 'received' }),
		]);
		expect(output(execution, 'Accepted')).toEqual([
			expect.objectContaining({
				reference: 'NOTICE-2026-013',
				outcome: 'accepted',
				messageId: registered.id,
			}),
		]);
		expect(execution.output).not.toHaveProperty('Not Accepted');
		const { messages } = await sandboxState(stack.sandbox);
		const types = (reference: string) =>
			messages.filter(({ fileReference }) => fileReference === reference).map(({ type }) => type);
		expect(types('NOTICE-2026-011')).toEqual(['AES']);
		expect(types('NOTICE-2026-012')).toEqual(['AES', 'LS']);
		expect(types('NOTICE-2026-013')).toEqual(['AES', 'LS', 'LRE']);
	});

	it('consent gate: asks, reminds, and sends to those who consented, and to nobody else', async () => {
		const consentOf = async (name: string) => {
			const { consents } = await sandboxState(stack.sandbox);
			return consents.find(({ contact }) => contact.email === `${name}@members.example`);
		};
		const accept = async (name: string) => {
			const consent = await until(`the consent of ${name}`, async () => consentOf(name));
			await control(stack.sandbox, 'POST', `/consents/${consent.id}/accept`);
		};
		const sentTo = async () => {
			const { messages } = await sandboxState(stack.sandbox);
			return messages.map(({ fileReference }) => fileReference).filter((to) => to?.includes('@'));
		};
		const chloe = { email: 'chloe@members.example', firstname: 'Chloé', lastname: 'Dubois' };
		const ask = node('Ask', 'n8n-nodes-registered-delivery.requestConsent', 1, {
			operation: 'create',
			type: 'EMAIL',
			recipientsFrom: 'json',
			recipientsJson: JSON.stringify([chloe]),
			options: {},
		});
		await stack.api.run(await saveChain(stack, 'Chloé is asked', [START, ask]));
		await accept('chloe');

		const workflow = await stack.importExample('consent-gate.json', ({ nodes }) => {
			for (const { type, parameters } of nodes) {
				if (type !== 'n8n-nodes-base.wait') continue;
				// Long enough for the test to answer in between, as the contacts would.
				Object.assign(parameters as object, { amount: 15, unit: 'seconds' });
			}
		});
		const run = stack.api.run(workflow, { from: 'Start' });
		await accept('ada');
		await until('Ben to be reminded', async () => {
			const { mails } = await sandboxState(stack.sandbox);
			return mails.filter(({ to }) => to === 'ben@members.example').length === 2;
		});
		expect((await sentTo()).sort()).toEqual(['ada@members.example', 'chloe@members.example']);
		await accept('ben');

		const execution = await run;
		expect(execution).toMatchObject({ status: 'success', error: null });
		expect((await sentTo()).sort()).toEqual([
			'ada@members.example',
			'ben@members.example',
			'chloe@members.example',
		]);
		expect(output(execution, 'No Consent').map(({ email }) => email)).toEqual([
			'dan@members.example',
		]);
	});
});

it('receiver needs attention: somebody gets a mail that names the workflow, and when it is over', async () => {
	const mailbox = await startMailbox();
	try {
		const smtp = { host: '127.0.0.1', port: mailbox.port, secure: false, disableStartTls: true };
		const id = await stack.api.saveCredential('SMTP of the alarm', 'smtp', smtp);
		const alarm = await stack.importExample('receiver-needs-attention.json', ({ nodes }) => {
			const tell = nodes.find(({ name }) => name === 'Tell Somebody');
			Object.assign(tell?.credentials as object, { smtp: { id, name: 'SMTP of the alarm' } });
		});
		await stack.activate(alarm);
		// A workflow elsewhere that can't be started: it refuses its delivery for good.
		const manage = async (method: string, path: string, body: object = {}) => {
			const answer = await fetch(`${stack.receiver.url}${path}`, {
				method,
				headers: {
					authorization: `Bearer ${stack.managementToken}`,
					'content-type': 'application/json',
				},
				body: JSON.stringify(body),
			});
			return (await answer.json()) as { batches: Array<{ id: string }> };
		};
		const url = 'https://n8n.example/workflow/7';
		const flow = { holder: 'an-n8n-elsewhere', holdMs: 0, name: 'Invoices', node: 'Trigger', url };
		const pull = (more: object) =>
			manage('POST', '/consumers/elsewhere~flow/pull', {
				...{ wants: { events: ['tracked_mail.sent'] }, ...flow },
				...more,
			});
		await pull({});
		await stack.api.run(await stack.importExample('send-tracked-mail.json'));
		const [batch] = await until('its delivery', async () => {
			const { batches } = await pull({});
			return batches.length > 0 && batches;
		});
		await pull({ atOnce: 0, settle: [{ batch: batch.id, outcome: 'term', reason: 'broken' }] });

		// A receiver looks two minutes after its start, then every minute.
		const PATIENCE = 210;
		const mailThat = (words: string) =>
			until(
				`the mail that says "${words}"`,
				async () => mailbox.mails.find((mail) => mail.includes(words)),
				PATIENCE,
			);
		const mail = await mailThat('Subject: Needs attention: Invoices');
		expect(mail).toContain('The workflow "Invoices" could not be started for one delivery');
		expect(mail).toContain('then hand the deliveries out again there.');
		expect(mail).toContain(url);
		await manage('POST', '/deliveries/retry?state=dead');
		await mailThat('Subject: Over: Invoices');
		await stack.deactivate(alarm);
	} finally {
		await mailbox.close();
	}
}, 480_000);

it('the receiver knows a workflow by the name and address that n8n shows it under', async () => {
	const follow = await stack.importExample('follow-letters.json');
	await stack.activate(follow);
	const own = await until('its consumer', async () =>
		(await stack.consumers()).find(({ key }) => key.includes(`~${follow.id}~`)),
	);
	expect(own).toMatchObject({ name: follow.name, node: 'Registered Delivery Trigger' });
	expect(new URL(own.url ?? '').pathname).toBe(`/workflow/${follow.id}`);
	const shown = await fetch(own.url ?? '');
	expect(await shown.text()).toContain('n8n');
	await stack.deactivate(follow);
});

it('every example has been run here or by the demo', async () => {
	const files = (await readdir(join(process.cwd(), 'examples'))).sort();
	expect(files).toEqual([
		'consent-drive.json',
		'consent-gate.json',
		'customer-onboarding.json',
		'escalation.json',
		'evidence-archive-s3.json',
		'evidence-archive.json',
		'follow-letters.json',
		'mail-merge.json',
		'preview-approve-send.json',
		'receiver-needs-attention.json',
		'registered-letter-with-evidence.json',
		'send-tracked-mail.json',
	]);
});
