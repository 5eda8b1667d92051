// What the accounts page offers to copy, held against the fields that n8n's credential has.
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { RegisteredDeliveryApi } from '../../credentials/RegisteredDeliveryApi.credentials.ts';
import { type Sandbox, startSandbox } from '../../sandbox/src/sandbox.ts';
import { serviceCredential } from '../support/sandbox.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';

jest.setTimeout(60_000);

let browser: Browser;
let sandbox: Sandbox;
let context: BrowserContext;
let page: Page;
let complained: string[];

beforeAll(async () => {
	browser = await launchChromium();
	sandbox = await startSandbox();
}, 120_000);
afterAll(async () => {
	await browser?.close();
	await sandbox?.close();
});
beforeEach(async () => {
	context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
	page = await context.newPage();
	complained = complaints(page);
});
afterEach(async () => {
	expect(complained).toEqual([]);
	await context.close();
});

const card = (company: string) => page.getByRole('region', { name: company });
const copyButton = (company: string, field: string) =>
	card(company).getByRole('button', { name: `Copy ${field}`, exact: true });

/** What a user fills in, by the names that n8n shows; the rest stays as it is. */
function filledIn(account: string): Array<[string, string]> {
	const values: Record<string, string> = serviceCredential(sandbox, account);
	return new RegisteredDeliveryApi().properties
		.filter(({ name, default: standard }) => values[name] && values[name] !== standard)
		.map(({ name, displayName }) => [displayName, values[name].trim()]);
}

it.each([
	['Atelier Nord', 'direct', 5],
	['Studio Sud', 'token-only', 3],
	['Courrier & Partners', 'reseller', 5],
])('of %s, copies each value under its name in n8n', async (company, account, count) => {
	await page.goto(`${sandbox.pageUrl}/accounts`);
	const names = await card(company).locator('[data-copy] .unseen').allInnerTexts();
	const copied: Array<[string, string]> = [];
	for (const name of names.map((text) => text.trim())) {
		await copyButton(company, name).click();
		await card(company)
			.getByRole('button', { name: `Copied ${name}` })
			.waitFor();
		copied.push([name, await page.evaluate(() => navigator.clipboard.readText())]);
	}
	expect(copied).toEqual(filledIn(account));
	expect(copied).toHaveLength(count);
	// Only the last one: so one sees how far one has come.
	expect(await page.getByRole('button', { name: /^Copied/ }).count()).toBe(1);
});

it('where there is no clipboard, selects the value for the keyboard', async () => {
	// As on a page that is reached over plain HTTP from another machine.
	await page.addInitScript(() =>
		Object.defineProperty(navigator, 'clipboard', { value: undefined }),
	);
	await page.goto(`${sandbox.pageUrl}/accounts`);
	await copyButton('Atelier Nord', 'Client Key (PEM)').click();
	await page.getByRole('status').getByText('copy it with the keyboard').waitFor();
	const selected = await page.evaluate(() => String(getSelection()).trim());
	expect(selected).toBe(serviceCredential(sandbox, 'direct').clientKey.trim());
});
