// What the tests of the sandbox's pages share: a browser, and for each test a page that must complain
// of nothing.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

import type { TestSandbox } from '../../sandbox/src/testing/jest.ts';
import { localFolder } from '../n8n/folders.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';

export const SCREENSHOTS = join(localFolder, 'screenshots');

export let browser: Browser;
export let context: BrowserContext;
export let page: Page;
/** What the page has complained of; a test that provokes it empties the list. */
export let complained: string[];

export function useBrowser(): void {
	beforeAll(async () => {
		await mkdir(SCREENSHOTS, { recursive: true });
		browser = await launchChromium();
	}, 120_000);
	afterAll(() => browser?.close(), 120_000);
}

/** For each test. */
export function usePage(sandbox: TestSandbox, options: BrowserContextOptions = {}): void {
	beforeEach(async () => {
		context = await browser.newContext({ locale: 'en-GB', ...options });
		page = await context.newPage();
		complained = complaints(page);
		await page.goto(sandbox.pageUrl);
	});
	afterEach(async () => {
		expect(complained).toEqual([]);
		await context.close();
	});
}

/** A mail on the page, by the id of what it is about. */
export const card = (id: string) => page.locator(`article[data-key="${id}"]`);
