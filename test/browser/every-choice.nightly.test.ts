// Every operation of every node in the real editor: each choice made once, stored, and opened again. What
// there is to choose is read from the descriptions, so a new option is tried by itself.
import { isDeepStrictEqual } from 'node:util';
import {
	NodeHelpers,
	type INodeParameters,
	type INodeTypeDescription,
	type NodeParameterValueType,
} from 'n8n-workflow';
import { selectors, type Browser, type Page } from 'playwright-core';

import { call } from '../contract/sandbox/client.ts';
import type { StoredWorkflow } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { RECEIVER_CREDENTIAL, RESELLER_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { nodeDescriptions, operationsOf } from '../support/descriptions.ts';
import { launchChromium } from './chromium.ts';
import { lastSet, stored, waysToFill, type Step } from './choices.ts';
import { logIn, withoutMotion } from './n8n-editor.ts';
import { Panel } from './panel.ts';

jest.setTimeout(120_000);
selectors.setTestIdAttribute('data-test-id');

/** As many as show on the canvas, beside one another. */
const COLUMNS = 8;

let stack: Stack;
let browser: Browser;
let page: Page;
let panel: Panel;
const complaints: string[] = [];

beforeAll(async () => {
	stack = await startTemporaryStack({ editor: true });
	// The sandbox has customers from the start, but no consent to pick.
	const recipients = [{ email: 'ada@recipients.example', firstname: 'Ada', lastname: 'Martin' }];
	const body = { type: 'EMAIL', recipients };
	await call(stack.sandbox, '/consents/bulkStore', { as: 'reseller', body });
	browser = await launchChromium();
	const context = await browser.newContext({
		locale: 'en-GB',
		viewport: { width: 1500, height: 950 },
	});
	context.setDefaultTimeout(15_000);
	await context.addInitScript(withoutMotion);
	page = await context.newPage();
	panel = new Panel(page);
	await logIn(page, stack.n8n.url);
	page.on('console', (message) => {
		const complaint = `${message.text()} ${message.location().url}`;
		if (message.type() === 'error' && !isForeign(complaint)) complaints.push(complaint);
	});
	page.on('pageerror', (error) => void complaints.push(String(error.stack)));
}, 300_000);

beforeEach(() => {
	complaints.length = 0;
});

afterAll(async () => {
	await browser?.close();
	await stack?.close();
}, 120_000);

/** A node on the canvas, and what is done in its panel. */
interface Tried {
	name: string;
	description: INodeTypeDescription;
	steps: Step[];
	/** Another operation than the one to choose, if there is one. */
	before: INodeParameters;
}

const operations = nodeDescriptions().flatMap((description) => {
	const all = operationsOf(description);
	return all.map((operation, index) => {
		const title = `${description.defaults.name}: ${operation ?? 'what it does'}`;
		const before: INodeParameters = operation === null ? {} : { operation: all.at(index - 1) };
		const tried = waysToFill(description, operation).map(
			(steps, way): Tried => ({ name: `${title} ${way + 1}`, description, steps, before }),
		);
		return { title, tried };
	});
});
const all = operations.flatMap(({ tried }) => tried);

let workflow: StoredWorkflow;

it('opens a workflow of all nodes', async () => {
	workflow = await saveNodes();
	await openWorkflow();
});

it.each(operations)('takes every choice of $title', async ({ tried }) => {
	for (const { name, steps } of tried) {
		await panel.open(name);
		for (const step of steps) await panel.take(step);
		await expectNoComplaint();
		await panel.close();
	}
});

it('stores what was chosen', async () => {
	await untilStored();
	await openWorkflow();
});

it.each(operations)('opens again what was stored of $title', async ({ tried }) => {
	for (const { name, steps } of tried) {
		await panel.open(name);
		for (const step of lastSet(steps)) await panel.untilShown(step);
		await expectNoComplaint();
		await panel.close();
	}
});

it('has changed nothing by opening it', untilStored);

async function saveNodes(): Promise<StoredWorkflow> {
	const nodes = all.map(({ name, description, before: parameters }, index) => {
		const [{ name: credential }] = description.credentials ?? [];
		const of = credential.includes('Receiver') ? RECEIVER_CREDENTIAL : RESELLER_CREDENTIAL;
		return {
			id: crypto.randomUUID(),
			name,
			type: `n8n-nodes-registered-delivery.${description.name}`,
			typeVersion: 1,
			position: [(index % COLUMNS) * 240, Math.floor(index / COLUMNS) * 200],
			parameters,
			webhookId: crypto.randomUUID(),
			credentials: { [credential]: { id: stack.credentialId(of), name: of } },
		};
	});
	return await stack.api.saveWorkflow({ name: 'Every choice', nodes, connections: {} });
}

async function openWorkflow(): Promise<void> {
	await page.goto(`${stack.n8n.url}/workflow/${workflow.id}`);
	for (const { name } of all) await panel.node(name).waitFor();
	await expectNoComplaint();
}

async function expectNoComplaint(): Promise<void> {
	expect(await page.locator('[class*="notification--error"]').allInnerTexts()).toEqual([]);
	expect(complaints).toEqual([]);
}

/** The editor saves by itself. What counts is what n8n has then. */
async function untilStored(): Promise<void> {
	const wanted = all.map(({ description, steps }) => complete(description, stored(steps)));
	let seen: unknown;
	const look = async () => {
		const { nodes } = await stack.api.workflow(workflow.id);
		seen = all.map(({ name, description }) => {
			const node = nodes.find((one) => one.name === name);
			return complete(description, node?.parameters as INodeParameters);
		});
		return isDeepStrictEqual(seen, wanted);
	};
	await until('n8n to store it', look, 20).catch(() => expect(seen).toEqual(wanted));
}

/** With the defaults of the fields nobody set; of a picker, only how it was chosen. */
function complete(description: INodeTypeDescription, parameters: INodeParameters): unknown {
	const node = { typeVersion: 1 };
	const { properties } = description;
	const all = NodeHelpers.getNodeParameters(properties, parameters, true, false, node, description);
	return JSON.parse(JSON.stringify(all), (_, value: NodeParameterValueType) =>
		typeof value === 'object' && value !== null && '__rl' in value
			? { mode: value.mode, isChosen: value.value !== '' }
			: value,
	);
}

/** A node may ship a schema of its output for the editor's preview; n8n asks, and 404 means none. */
const isForeign = (complaint: string) => /404 .*\/schemas\//.test(complaint);
