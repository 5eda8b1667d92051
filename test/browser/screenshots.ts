// npm run screenshots: retakes the pictures of the README, from the real editor and the real pages.
//   npm run screenshots -- mails receiver     only those whose name begins so
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { selectors, type Browser, type Locator, type Page } from 'playwright-core';
import sharp from 'sharp';

import { OWNER, type StoredWorkflow, type WorkflowFile } from '../n8n/api.ts';
import { exampleFiles } from '../n8n/example-workflows.ts';
import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { SERVICE_CREDENTIAL, type Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import type { PrintedRow } from '../support/npm-start.ts';
import { launchChromium } from './chromium.ts';
import { docSteps } from './doc-steps.ts';
import { FirstLetter, SECTION } from './first-letter.ts';
import { canvasNode, logIn, openWorkflow } from './n8n-editor.ts';
import { Person } from './person.ts';

const FOLDER = join(root, 'docs', 'screenshots');

/** Bytes a picture may have: the README shows many of them. */
const LIMIT = 170_000;

/** Two pixels for each, as on most of the screens on which people read. */
const SCALE = 2;

/** Pixels around a workflow. */
const AIR = 24;

/** Hides whatever is beside and above the canvas, of which the air would show a part. */
const ONLY_CANVAS =
	'body *:not(:has(.vue-flow), .vue-flow, .vue-flow *) { visibility: hidden !important; }';

const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];

/** A part of the page, in its pixels. */
interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** Takes its pictures, `<name>-<scheme>.png` each. */
interface Shot {
	name: string;
	take(name: string, scheme: Scheme): Promise<void>;
}

async function takeAll(browser: Browser, stack: Stack, wanted: string[]): Promise<void> {
	const files = await exampleFiles();
	const shots: Shot[] = [
		...pictures(browser, stack),
		...files.map((file) => example(browser, stack, file)),
	].filter(({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)));
	for (const { name, take } of shots) {
		for (const scheme of SCHEMES) {
			await take(`${name}-${scheme}`, scheme);
			console.log(`✓ ${name}-${scheme}.png`);
		}
	}
	if (wanted.length === 0) await removeOthers(shots);
}

/** The canvas with an example workflow, as large as it is. */
function example(browser: Browser, stack: Stack, file: string): Shot {
	return {
		name: `workflow-${file.replace('.json', '')}`,
		async take(name, scheme) {
			const workflow = await stack.importExample(file);
			const page = await editor(browser, stack, scheme, canvasSize(workflow));
			await openForPicture(page, stack, workflow);
			await page.mouse.move(0, 0);
			await page.addStyleTag({ content: ONLY_CANVAS });
			await save(name, page, await aroundNodes(page));
			await page.context().close();
		},
	};
}

function pictures(browser: Browser, stack: Stack): Shot[] {
	const WINDOW = { width: 1280, height: 860 };

	const panel = (node: string, file: string, prepare?: (page: Page) => Promise<void>) => {
		return async (name: string, scheme: Scheme) => {
			const workflow = await stack.importExample(file);
			const page = await editor(browser, stack, scheme, WINDOW);
			await openForPicture(page, stack, workflow);
			await prepare?.(page);
			await canvasNode(page, node).dblclick();
			const window = page.getByTestId('ndv');
			await window.waitFor();
			await settled(page);
			await save(name, window);
			await page.context().close();
		};
	};

	return [
		{
			name: 'send-letter',
			take: panel('Send Letter', 'send-tracked-mail.json', runWorkflow),
		},
		{
			name: 'trigger',
			take: panel('Registered Delivery Trigger', 'follow-letters.json'),
		},
		{
			name: 'credential',
			async take(name, scheme) {
				const page = await editor(browser, stack, scheme, { width: 1280, height: 1000 });
				await page.goto(`${stack.n8n.url}/home/credentials`);
				await page.getByText(SERVICE_CREDENTIAL, { exact: true }).first().click();
				const window = page.getByTestId('editCredential-modal');
				await window.getByText('Connection tested successfully').waitFor();
				await settled(page);
				await save(name, window);
				await page.context().close();
			},
		},
		{
			name: 'mails',
			async take(name, scheme) {
				await stack.api.run(await stack.importExample('send-tracked-mail.json'));
				const page = await open(browser, scheme, { width: 1100, height: 800 });
				await page.goto(stack.sandbox.pageUrl);
				await page
					.locator('article')
					.first()
					.getByText('Opened', { exact: true })
					.first()
					.waitFor();
				await settled(page);
				await save(name, page);
				await page.context().close();
			},
		},
		{
			name: 'accounts',
			async take(name, scheme) {
				const page = await open(browser, scheme, { width: 1100, height: 620 });
				await page.goto(`${stack.sandbox.pageUrl}/accounts`);
				await page.getByRole('button', { name: 'Copy API Token' }).first().waitFor();
				await settled(page);
				await save(name, page);
				await page.context().close();
			},
		},
		{
			name: 'first-letter',
			take: async (name, scheme) => await takeFirstLetter(browser, stack, name, scheme),
		},
		{
			name: 'receiver',
			async take(name, scheme) {
				await followLetters(stack);
				const page = await open(browser, scheme, { width: 1100, height: 1000 });
				await page.goto(stack.receiver.url);
				await page.getByLabel('Management token').fill(stack.managementToken);
				await page.getByRole('button', { name: 'Log in' }).click();
				await page.getByRole('heading', { name: 'Workflows' }).waitFor();
				await settled(page);
				await save(name, page);
				await page.context().close();
			},
		},
	];
}

/** What one has at the end of the README's first section. */
async function takeFirstLetter(
	browser: Browser,
	stack: Stack,
	name: string,
	scheme: Scheme,
): Promise<void> {
	const printed: Record<string, PrintedRow> = {
		'n8n editor': { address: stack.n8n.url, note: `${OWNER.email} / ${OWNER.password}` },
		'Mails of the sandbox': { address: stack.sandbox.pageUrl, note: '' },
	};
	const person = await Person.at(browser, { colorScheme: scheme, deviceScaleFactor: SCALE });
	const walk = new FirstLetter(person, (row) => printed[row]);
	for (const [index, step] of docSteps('README.md', SECTION).entries()) {
		await walk.steps[index](step);
	}
	await settled(walk.page);
	await save(name, walk.page.getByTestId('ndv'));
	await walk.page.context().close();
}

/** Some letters and their events, so that the operator page has something to show. */
async function followLetters(stack: Stack): Promise<void> {
	const follow = await stack.importExample('follow-letters.json');
	if (!(await stack.consumers()).some(({ held }) => held)) await stack.activate(follow);
	const before = (await stack.api.executionIds(follow.id)).length;
	await stack.api.run(await stack.importExample('send-tracked-mail.json'));
	await until('three executions that events started', async () => {
		return (await stack.api.executionIds(follow.id)).length >= before + 3;
	});
}

async function open(
	browser: Browser,
	colorScheme: Scheme,
	viewport: { width: number; height: number },
): Promise<Page> {
	const more = { locale: 'en-GB', deviceScaleFactor: SCALE };
	const context = await browser.newContext({ colorScheme, viewport, ...more });
	context.setDefaultTimeout(30_000);
	return await context.newPage();
}

/** The editor, logged in. */
async function editor(
	browser: Browser,
	stack: Stack,
	scheme: Scheme,
	viewport: { width: number; height: number },
): Promise<Page> {
	const page = await open(browser, scheme, viewport);
	await logIn(page, stack.n8n.url);
	return page;
}

// Buttons that float over canvas and panel, and tell nothing of the workflow.
const FLOATING = `
	[data-test-id="canvas-controls"], [data-test-id="canvas-handle-plus-wrapper"],
	[data-test-id="workflow-tabs"], [data-test-id="tab-bar-container"], [class*="tab-bar-container"],
	[class*="executionButtons"], [data-test-id^="execute-workflow-button"],
	[class*="floatingNodes"], .el-notification
		{ visibility: hidden !important; }
`;

async function openForPicture(page: Page, stack: Stack, workflow: StoredWorkflow): Promise<void> {
	await openWorkflow(page, stack.n8n.url, workflow);
	await page.addStyleTag({ content: FLOATING });
	await settled(page);
}

/** Runs the workflow in the editor, so that its panels have data to show. */
async function runWorkflow(page: Page): Promise<void> {
	// By its event, since the button floats, and is hidden.
	await page.locator('[data-test-id^="execute-workflow-button"]').first().dispatchEvent('click');
	await page.getByText('Workflow executed successfully').first().waitFor({ state: 'attached' });
}

/** A window in which n8n shows the workflow at about its own size, sidebar included. */
function canvasSize({ nodes }: WorkflowFile): { width: number; height: number } {
	const positions = nodes.map(({ position }) => position as [number, number]);
	const extent = (axis: 0 | 1) => {
		const values = positions.map((position) => position[axis]);
		return Math.max(...values) - Math.min(...values);
	};
	return {
		width: Math.min(2000, Math.max(1000, extent(0) + 600)),
		height: Math.min(1200, Math.max(600, extent(1) + 600)),
	};
}

/** The part of the page that the workflow takes with all its words, and some air. */
async function aroundNodes(page: Page): Promise<Box> {
	const { left, top, right, bottom } = await page.evaluate(() => {
		// Buttons show only under the pointer.
		const parts = '.vue-flow__node *:not(button, button *), .vue-flow__edge';
		const all = Array.from(document.querySelectorAll(parts))
			.filter((part) => part.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
			.map((part) => part.getBoundingClientRect())
			.filter(({ width, height }) => width > 0 && height > 0);
		return {
			left: Math.min(...all.map((box) => box.left)),
			top: Math.min(...all.map((box) => box.top)),
			right: Math.max(...all.map((box) => box.right)),
			bottom: Math.max(...all.map((box) => box.bottom)),
		};
	});
	const x = Math.max(0, left - AIR);
	const y = Math.max(0, top - AIR);
	return { x, y, width: right + AIR - x, height: bottom + AIR - y };
}

/** Waits until nothing loads and nothing moves. */
async function settled(page: Page): Promise<void> {
	await page.evaluate(async () => {
		await document.fonts.ready;
		await Promise.all(Array.from(document.images).map((image) => image.decode().catch(() => {})));
		const finite = document
			.getAnimations()
			.filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
		await Promise.all(finite.map(({ finished }) => finished.catch(() => {})));
	});
}

async function save(name: string, what: Page | Locator, clip?: Box): Promise<void> {
	const shot = await what.screenshot({
		animations: 'disabled',
		caret: 'hide',
		...(clip && { clip }),
	});
	// Pages of text and flat colours have few colours, so one byte a pixel is enough.
	const picture = await sharp(shot).png({ palette: true, effort: 10 }).toBuffer();
	if (picture.length > LIMIT) {
		throw new Error(`${name} has ${picture.length} bytes; ${LIMIT} are allowed.`);
	}
	await writeFile(join(FOLDER, `${name}.png`), picture);
}

/** Pictures of examples that are gone. */
async function removeOthers(shots: Shot[]): Promise<void> {
	const names = shots.flatMap(({ name }) => SCHEMES.map((scheme) => `${name}-${scheme}.png`));
	for (const file of await readdir(FOLDER)) {
		if (!names.includes(file)) await rm(join(FOLDER, file));
	}
}

// As n8n names its parts.
selectors.setTestIdAttribute('data-test-id');
await mkdir(FOLDER, { recursive: true });
const browser = await launchChromium();
try {
	const stack = await startTemporaryStack({
		editor: true,
		sandbox: { examples: true },
		// The sandbox's letters finish within seconds.
		receiverEnv: { WATCH_DELAYS: '0s:3s' },
	});
	try {
		await takeAll(browser, stack, process.argv.slice(2));
	} finally {
		await stack.close();
	}
} finally {
	await browser.close();
}
