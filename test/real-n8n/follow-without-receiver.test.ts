// The example for those who can host nothing: n8n's own schedule and data table follow the letters.
import { DatabaseSync } from 'node:sqlite';

import type { Execution, StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { startMailbox, type Mailbox } from '../support/mailbox.ts';
import { control, sandboxState } from '../support/sandbox.ts';
import { node, saveChain, START } from './workflows.ts';

jest.setTimeout(240_000);

const TABLE = {
	resource: 'row',
	dataTableId: { __rl: true, mode: 'name', value: 'Registered letters under way' },
};

let stack: Stack;
let mailbox: Mailbox;
let workflow: StoredWorkflow;
beforeAll(async () => {
	stack = await startTemporaryStack();
	mailbox = await startMailbox();
	workflow = await importExample(mailbox.port);
}, 300_000);
afterAll(async () => {
	await mailbox?.close();
	await stack?.close();
}, 120_000);

/** The example, with a mail server on this port. */
async function importExample(port: number): Promise<StoredWorkflow> {
	const smtp = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
	const id = await stack.api.saveCredential('SMTP of who follows', 'smtp', smtp);
	return await stack.importExample('follow-letters-without-receiver.json', ({ nodes }) => {
		for (const { credentials } of nodes) {
			const { smtp: used } = (credentials ?? {}) as { smtp?: { id: string } };
			if (used) used.id = id;
		}
	});
}

const send = async () => await stack.api.run(workflow, { from: 'When you start it' });
const look = async () => await stack.api.run(workflow, { from: 'When you want to know now' });
const success = { status: 'success', error: null };

/** Runs it, and gives the subjects of the mails that went out meanwhile. */
async function told(run: () => Promise<Execution>, expected: object = success): Promise<string[]> {
	const before = mailbox.mails.length;
	expect(await run()).toMatchObject(expected);
	return mailbox.mails
		.slice(before)
		.map((mail) => /^Subject: (.*)$/m.exec(mail)?.[1].trim() ?? '')
		.sort();
}

/** Does something with the table, as another workflow would, and gives the rows. */
async function table(
	operation: string,
	parameters: object,
): Promise<Array<Record<string, unknown>>> {
	const rows = node('Rows', 'n8n-nodes-base.dataTable', 1.1, {
		...TABLE,
		operation,
		...parameters,
	});
	const chain = await saveChain(stack, `Table: ${operation}`, [START, rows]);
	const { output } = await stack.api.run(chain);
	return (output.Rows ?? []).map(({ json }) => json);
}

const statuses = async () => {
	const rows = await table('get', { returnAll: true, filters: {} });
	return Object.fromEntries(rows.map(({ reference, status }) => [reference, status]));
};

const idOf = async (reference: string) => {
	const { messages } = await sandboxState(stack.sandbox);
	return messages.find(({ fileReference }) => fileReference === reference)?.id ?? '';
};

it('finds no letters before the first', async () => {
	expect(await told(look)).toEqual([]);
	expect(await statuses()).toEqual({});
});

it('sends the letters and puts them into the table; run again, sends none twice', async () => {
	// What somebody does who is in doubt.
	expect(await send()).toMatchObject(success);
	expect(await send()).toMatchObject(success);
	const { messages } = await sandboxState(stack.sandbox);
	expect(messages).toHaveLength(3);
	expect(await statuses()).toEqual({
		'LEASE-2026-021': null,
		'LEASE-2026-022': null,
		'LEASE-2026-023': null,
	});
});

it('tells of each change once; what is done leaves the table', async () => {
	for (const reference of ['LEASE-2026-021', 'LEASE-2026-022']) await settled(reference);
	expect(await told(look)).toEqual([
		'LEASE-2026-021: ACCEPTED',
		'LEASE-2026-022: REFUSED',
		'LEASE-2026-023: SENT',
	]);
	expect(await statuses()).toEqual({ 'LEASE-2026-023': 'SENT' });
	expect(await told(look)).toEqual([]);
	expect(await statuses()).toEqual({ 'LEASE-2026-023': 'SENT' });
});

/** Waits until nothing more happens to the letter. */
async function settled(reference: string): Promise<void> {
	const id = await idOf(reference);
	await until(`${reference} to be answered`, async () => {
		const { messages } = await sandboxState(stack.sandbox);
		return messages.find((one) => one.id === id)?.status !== 'SENT';
	});
}

it('tells again what could not be told, and keeps the letter until then', async () => {
	workflow = await importExample(1);
	await control(stack.sandbox, 'POST', `/messages/${await idOf('LEASE-2026-023')}/accept`);
	const failed = { status: 'error', error: { message: expect.stringContaining('LEASE-2026-023') } };
	expect(await told(look, failed)).toEqual([]);
	expect(await statuses()).toEqual({ 'LEASE-2026-023': 'SENT' });

	workflow = await importExample(mailbox.port);
	expect(await told(look)).toEqual(['LEASE-2026-023: ACCEPTED']);
	expect(await statuses()).toEqual({});
});

describe('with a letter that can’t be read', () => {
	const lost = { messageId: '999999999999', reference: 'LOST', status: 'SENT' };
	const insert = async (row: object) =>
		await table('insert', { columns: { mappingMode: 'defineBelow', value: row, schema: [] } });

	it('follows the others, keeps its row, and names it', async () => {
		await insert({ ...lost, lookedAt: '2026-01-01T00:00:00.000Z' });
		await insert({ messageId: await idOf('LEASE-2026-022'), reference: 'AGAIN' });
		const failed = { status: 'error', error: { message: expect.stringContaining('LOST') } };
		expect(await told(look, failed)).toEqual(['AGAIN: REFUSED']);
		const rows = await table('get', { returnAll: true, filters: {} });
		expect(rows).toMatchObject([lost]);
		// It was looked at, so it stands behind those that wait longer.
		expect(String(rows[0].lookedAt) > '2026-01-01T00:00:00.000Z').toBe(true);
	});

	it('gives it up after 180 days, and says so once', async () => {
		const database = new DatabaseSync(stack.n8nDatabase, { timeout: 10_000 });
		const [{ name }] = database
			.prepare(
				`SELECT name FROM sqlite_master WHERE name LIKE 'data_table_user_%' AND type = 'table'`,
			)
			.all() as Array<{ name: string }>;
		database.exec(`UPDATE "${name}" SET createdAt = '2020-01-01 00:00:00.000'`);
		database.close();
		const failed = { status: 'error', error: { message: expect.stringContaining('LOST') } };
		expect(await told(look, failed)).toEqual(['LOST: SENT, no longer followed after 180 days']);
		expect(await statuses()).toEqual({});
		expect(await told(look)).toEqual([]);
	});
});

it('says which letter was not sent, and follows the others', async () => {
	const wrong = {
		reference: 'WRONG',
		email: 'wrong@recipients.example',
		firstname: 'Bo',
		lastname: '',
	};
	const right = { ...wrong, reference: 'RIGHT', lastname: 'Lind' };
	const letters = workflow.nodes.find(({ name }) => name === 'The letters');
	Object.assign(letters?.parameters as object, {
		jsonOutput: JSON.stringify({ letters: [wrong, right] }),
	});
	workflow = await stack.api.saveWorkflow(workflow);
	const failed = { status: 'error', error: { message: expect.stringContaining('WRONG') } };
	expect(await send()).toMatchObject(failed);
	expect(await statuses()).toEqual({ RIGHT: null });
});
