// What can be told of the workflows in examples/ without running them; test/real-n8n runs each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { WorkflowFile } from '../../n8n/api.ts';
import { root } from '../../n8n/folders.ts';

const examples = readdirSync(join(root, 'examples'))
	.filter((file) => file.endsWith('.json'))
	.map((file): [string, WorkflowFile] => [
		file,
		JSON.parse(readFileSync(join(root, 'examples', file), 'utf8')) as WorkflowFile,
	]);

/** What n8n calls the credentials. */
const CREDENTIALS: Record<string, string> = {
	registeredDeliveryApi: 'Registered Delivery API',
	registeredDeliveryWebhookApi: 'Registered Delivery Webhook API',
	openAiApi: 'OpenAI',
	s3: 'S3',
	smtp: 'SMTP',
};

const leavesOf = (value: unknown): string[] =>
	typeof value === 'object' && value !== null
		? Object.values(value).flatMap(leavesOf)
		: [String(value)];

const STICKY = 'n8n-nodes-base.stickyNote';
const notesOf = ({ nodes }: WorkflowFile) =>
	nodes
		.filter(({ type }) => type === STICKY)
		.map(({ parameters }) => (parameters as { content: string }).content);
const stepsOf = ({ nodes }: WorkflowFile) => nodes.filter(({ type }) => type !== STICKY);
const namesOf = (workflow: WorkflowFile) => stepsOf(workflow).map(({ name }) => name);

describe.each(examples)('the note of %s', (_, workflow) => {
	const [about = ''] = notesOf(workflow);
	const before = about.split('**Set before you run it**')[1] ?? '';
	const used = new Set(stepsOf(workflow).flatMap((one) => Object.keys(one.credentials ?? {})));

	it('has one note: its title, what it does, and what to set before it runs', () => {
		expect(notesOf(workflow)).toHaveLength(1);
		expect(about.split('\n')[0]).toBe(`## ${workflow.name}`);
		expect(before).not.toBe('');
	});

	it('names the credentials it uses, and no others', () => {
		const [, named = ''] = /^- Credentials: (.*)$/m.exec(before) ?? [];
		const known = Object.keys(CREDENTIALS).filter((type) =>
			named.split(/[,.;] ?/).some((one) => one.startsWith(CREDENTIALS[type])),
		);
		expect(known.sort()).toEqual([...used].sort());
	});

	it('says what a form without authentication lets anyone do', () => {
		for (const { name, type, parameters } of stepsOf(workflow)) {
			if (type !== 'n8n-nodes-base.formTrigger') continue;
			expect(parameters).not.toHaveProperty('authentication');
			expect(before).toContain(`**${name}**: its Authentication. Without it, anyone`);
		}
	});

	it('names steps as they are named, and each says what it does', () => {
		for (const name of namesOf(workflow)) expect(name).toMatch(/^\p{Lu}\S*( \S+)+$/u);
		const bold = [...about.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name);
		const steps = bold.filter((name) => name !== 'Set before you run it');
		expect(namesOf(workflow)).toEqual(expect.arrayContaining(steps));
	});
});

describe.each(examples)('%s', (_, workflow) => {
	it('has no credential of anybody', () => {
		for (const { credentials = {} } of stepsOf(workflow)) {
			for (const { id } of Object.values(credentials as Record<string, { id: string }>)) {
				expect(id).toBe('');
			}
		}
	});

	it('has data of the item in expressions alone: n8n would take other braces as they stand', () => {
		const texts = stepsOf(workflow).flatMap(({ type, parameters }) =>
			// Its code is no text.
			type === 'n8n-nodes-base.code' ? [] : leavesOf(parameters),
		);
		const isText = (text: string) => text.includes('{{') && !text.startsWith('=');
		expect(texts.filter(isText)).toEqual([]);
	});

	it('leads only to steps that are there, in connections and in expressions', () => {
		const names = namesOf(workflow);
		expect(new Set(names).size).toBe(names.length);
		const text = JSON.stringify(workflow);
		const meant = [...text.matchAll(/\$\('([^']+)'\)/g)].map(([, name]) => name);
		const targets = Object.values(workflow.connections)
			.flatMap((outputs) => Object.values(outputs as Record<string, Array<Target[] | null>>))
			.flat(2)
			.flatMap((target) => target?.node ?? []);
		expect(names).toEqual(
			expect.arrayContaining([...meant, ...targets, ...Object.keys(workflow.connections)]),
		);
	});

	it('writes to addresses that are nobody’s', () => {
		for (const [, host] of JSON.stringify(workflow).matchAll(/[\w.]+@([\w.-]+\w)/g)) {
			expect(host).toMatch(/\.example$|^example\.com$/);
		}
	});
});

interface Target {
	node: string;
}
