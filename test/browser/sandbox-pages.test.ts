// Every page of the sandbox as people see it: on a large screen, on a telephone, and enlarged to 400 %.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { type Sandbox, startSandbox } from '../../sandbox/src/sandbox.ts';
import { call, letter, stateOf } from '../contract/sandbox/client.ts';
import { localFolder } from '../n8n/pack.ts';
import { barriers } from './accessibility.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';
import { unreadable } from './readable.ts';
import { sendTo } from './service.ts';

jest.setTimeout(120_000);

const SCREENSHOTS = join(localFolder, 'screenshots');

let browser: Browser;
let sandbox: Sandbox;
let empty: Sandbox;
let consentUrl: string;
let letterPath: string;
let delegationPath: string;

beforeAll(async () => {
	await mkdir(SCREENSHOTS, { recursive: true });
	browser = await launchChromium();
	[sandbox, empty] = await Promise.all([
		startSandbox({
			...{ automatic: false, examples: true },
			webhooks: [{ url: 'http://localhost:9/events', secret: 'hush' }],
		}),
		startSandbox(),
	]);
	const long = `${'long'.repeat(15)}@recipients.example`;
	await sendTo(sandbox, 'LRE', long, `<p>${'word'.repeat(99)}</p>`);
	const body = { type: 'LINK', recipients: letter().recipients };
	const { mails } = await stateOf(sandbox);
	const linkOf = (pattern: RegExp): string => {
		const { html } = mails.find(({ subject }: { subject: string }) => pattern.test(subject));
		return /href="(.*?)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
	};
	[letterPath, delegationPath] = [linkOf(/^A registered letter/), linkOf(/on your behalf$/)];
	[{ consentUrl }] = (await call(sandbox, '/consents/bulkStore', { body })).json;
}, 120_000);

afterAll(async () => {
	await browser?.close();
	await Promise.all([sandbox?.close(), empty?.close()]);
}, 120_000);

const PAGES: Array<[string, () => string]> = [
	['mails', () => sandbox.pageUrl],
	['no mails yet', () => empty.pageUrl],
	['accounts', () => `${sandbox.pageUrl}/accounts`],
	['found nothing', () => `${sandbox.pageUrl}/?q=nothing`],
	['consent', () => consentUrl],
	['letter', () => sandbox.url + letterPath],
	['delegation', () => sandbox.url + delegationPath],
];

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
	describe.each([1280, 390, 320])('%d px wide', (width) => {
		it.each(PAGES)('%s: readable, and without barriers', async (name, url) => {
			const context = await browser.newContext({
				colorScheme,
				viewport: { width, height: 850 },
				// The page of a consent has the certificate of the sandbox's own authority.
				ignoreHTTPSErrors: true,
			});
			const page = await context.newPage();
			const complained = complaints(page);
			await page.goto(url());
			await openAll(page);
			const file = `sandbox-${name.replaceAll(' ', '-')}-${colorScheme}-${width}.png`;
			await page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true });
			expect(await page.evaluate(unreadable)).toEqual([]);
			expect(await barriers(page)).toEqual([]);
			// Wraps between the entries, never within one.
			const lines = (entries: Element[]) => entries.map((entry) => entry.getClientRects().length);
			const entries = page.locator('.top a');
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
