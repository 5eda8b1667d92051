// Every page of the sandbox as people see it: on a large screen, on a telephone, and enlarged to 400 %.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { type Sandbox, startSandbox } from '../../sandbox/src/sandbox.ts';
import { sandboxState } from '../support/sandbox.ts';
import { call, form, letter, send } from '../contract/sandbox/client.ts';
import { localFolder } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { barriers } from './accessibility.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';
import { unreadable } from './readable.ts';
import { sendTo } from './service.ts';
import { COLOR_SCHEMES, WIDTHS } from './looks.ts';

jest.setTimeout(120_000);

const SCREENSHOTS = join(localFolder, 'screenshots');

let browser: Browser;
let sandbox: Sandbox;
let empty: Sandbox;
let consentUrl: string;
let letterPath: string;
let delegationPath: string;
let requestId: number;
let webhookId: number;

beforeAll(async () => {
	await mkdir(SCREENSHOTS, { recursive: true });
	browser = await launchChromium();
	[sandbox, empty] = await Promise.all([
		startSandbox({
			automatic: false,
			examples: true,
			webhooks: [{ url: 'http://localhost:9/events', secret: 'hush' }],
		}),
		startSandbox(),
	]);
	const long = `${'long'.repeat(15)}@recipients.example`;
	await sendTo(sandbox, 'LRE', long, `<p>${'word'.repeat(99)}</p>`);
	const body = { type: 'LINK', recipients: letter().recipients };
	const { mails } = await sandboxState(sandbox);
	const linkOf = (pattern: RegExp): string => {
		const { html } = mails.find(({ subject }) => pattern.test(subject))!;
		return /href="(.*?)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
	};
	[letterPath, delegationPath] = [linkOf(/^A registered letter/), linkOf(/on your behalf$/)];
	[{ consentUrl }] = (await call(sandbox, '/consents/bulkStore', { body })).json;
	// Nobody listens there.
	const webhooks = [{ url: 'http://127.0.0.1:9/events', secret: 'shared-with-nobody' }];
	await sandbox.control('PUT /webhooks', { webhooks });
	const file = new File(['content'], `${'long'.repeat(30)}.pdf`, { type: 'application/pdf' });
	const upload = await send(
		sandbox,
		form(
			['type', 'AES'],
			['body', `<p>${'word'.repeat(99)}</p>`],
			['recipients', JSON.stringify(letter().recipients)],
			['attachments[0]', file],
		),
	);
	expect(upload.status).toBe(201);
	const newest = { limit: 1, wait: 20 };
	const { webhookAttempts } = await sandbox.control('GET /webhook-attempts', newest);
	const { requests } = await sandbox.control('GET /requests', newest);
	[webhookId, requestId] = [webhookAttempts[0].id, requests[0].id];
}, 120_000);

afterAll(async () => {
	await browser?.close();
	await Promise.all([sandbox?.close(), empty?.close()]);
}, 120_000);

const PAGES: Array<[string, () => string]> = [
	['mails', () => sandbox.pageUrl],
	['no mails yet', () => empty.pageUrl],
	['accounts', () => `${sandbox.pageUrl}/accounts`],
	['log', () => `${sandbox.pageUrl}/log`],
	['nothing in the log', () => `${empty.pageUrl}/log`],
	['one request', () => `${sandbox.pageUrl}/log/${requestId}`],
	['one webhook', () => `${sandbox.pageUrl}/log/${webhookId}`],
	['found nothing', () => `${sandbox.pageUrl}/?q=nothing`],
	['consent', () => consentUrl],
	['letter', () => sandbox.url + letterPath],
	['delegation', () => sandbox.url + delegationPath],
];

describe.each(COLOR_SCHEMES)('%s', (colorScheme) => {
	describe.each(WIDTHS)('%d px wide', (width) => {
		it.each(PAGES)('%s: readable, and without barriers', async (name, url) => {
			const context = await browser.newContext({
				colorScheme,
				viewport: { width, height: 850 },
				// What fades in has too little contrast for a moment.
				reducedMotion: 'reduce',
				// The page of a consent has the certificate of the sandbox's own authority.
				ignoreHTTPSErrors: true,
			});
			const page = await context.newPage();
			const complained = complaints(page);
			await page.goto(url());
			await openAll(page);
			const file = `sandbox-${name.replaceAll(' ', '-')}-${colorScheme}-${width}.png`;
			// Chromium may have no memory for it in a busy moment.
			await until('a picture of the page', async () => {
				const picture = page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true });
				return await picture.catch(() => null);
			});
			expect(await page.evaluate(unreadable)).toEqual([]);
			expect(await barriers(page)).toEqual([]);
			// Wraps between the entries, never within one.
			const lines = (entries: Element[]) => entries.map((entry) => entry.getClientRects().length);
			const entries = page.locator('header nav a');
			expect(new Set(await entries.evaluateAll(lines))).toEqual(
				new Set((await entries.count()) === 0 ? [] : [1]),
			);
			expect(complained).toEqual([]);
			await context.close();
		});
	});
});

/** What is folded is read as well. */
async function openAll(page: Page): Promise<void> {
	for (const summary of await page.locator('summary').all()) await summary.click();
}

it('keeps names and addresses from right to left apart from the words around them', async () => {
	const name = '\u05e9\u05dc\u05d5\u05dd 12';
	const customer = { name, email: 'c@customers.example', isPaying: true, willSendLre: false };
	const body = { customers: [customer] };
	const created = await call(sandbox, '/customers/bulk_store', { as: 'reseller', body });
	expect(created.status).toBe(201);
	const page = await browser.newPage();
	await page.goto(`${sandbox.pageUrl}/accounts`);
	expect(await page.locator('bdi').getByText(name, { exact: true }).count()).toBe(1);
	await page.goto(`${sandbox.pageUrl}/log`);
	const card = page.locator('article', { hasText: '/customers/bulk_store' });
	expect(await card.locator('h2 bdi, p bdi').allTextContents()).toEqual([
		'/customers/bulk_store',
		expect.any(String),
	]);
	await page.close();
});

describe('the log', () => {
	it('shows what happens as it happens, keeps to its filter, and sends a webhook again', async () => {
		const page = await browser.newPage();
		const complained = complaints(page);
		await page.goto(`${sandbox.pageUrl}/log`);
		await page.getByLabel('Text').fill('/consents?page=1');
		await page.getByLabel('Text').press('Enter');
		await page.getByText('Nothing found').waitFor();
		await call(sandbox, '/consents?page=1');
		await page.getByRole('link', { name: 'GET /consents' }).click();
		await page.getByRole('region', { name: 'Answered' }).getByText('"currentPage": 1').waitFor();

		await page.goto(`${sandbox.pageUrl}/log`);
		await page.getByLabel('Kind').selectOption('webhooks');
		await page.getByRole('button', { name: 'Filter' }).click();
		expect(await page.getByLabel('Kind').inputValue()).toBe('webhooks');
		expect(await page.locator('article code').count()).toBe(0);
		// Others were sent to the address of before, which gets no more.
		const sent = page.locator('article', { hasText: 'http://127.0.0.1:9/events' });
		await sent.last().getByRole('button', { name: 'Send again' }).click();
		await page.getByText(/resend of \d/).waitFor();
		expect(complained).toEqual([]);
		await page.close();
	});
});
