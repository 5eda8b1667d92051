// Every workflow in examples/ runs as it is, with this stack's credentials.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Execution } from '../n8n/api.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { control, sandboxState } from '../support/sandbox.ts';

jest.setTimeout(120_000);

let stack: Stack;
let archive: string;
beforeAll(async () => {
	archive = await mkdtemp(join(tmpdir(), 'registered-delivery-archive-'));
	stack = await startTemporaryStack({ n8nEnv: { N8N_RESTRICT_FILE_ACCESS_TO: archive } });
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
				reason: expect.stringContaining('lastname is missing'),
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

it('every example has been run here or by the demo', async () => {
	const files = (await readdir(join(process.cwd(), 'examples'))).sort();
	expect(files).toEqual([
		'consent-drive.json',
		'customer-onboarding.json',
		'follow-letters.json',
		'mail-merge.json',
		'registered-letter-with-evidence.json',
		'send-tracked-mail.json',
	]);
});
