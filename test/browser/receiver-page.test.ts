// The operator page in a real browser: what a person sees and clicks, in both colour schemes.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { TOKEN, cleanUp, start, target, until } from '../contract/receiver/harness.ts';
import { localFolder } from '../n8n/pack.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';

jest.setTimeout(120_000);

const SCREENSHOTS = join(localFolder, 'screenshots');

let browser: Browser;
beforeAll(async () => {
	await mkdir(SCREENSHOTS, { recursive: true });
	browser = await launchChromium();
}, 120_000);
afterAll(() => browser?.close());
afterEach(cleanUp);

async function receiverWithTraffic() {
	const receiver = await start({ env: { RETRY_DELAYS: '1ms' } });
	let status = 503;
	const [fine, failing] = [await target(), await target(() => status)];
	await receiver.subscribe('workflow-1~trigger~production', fine.url);
	await receiver.subscribe('workflow-2~trigger~production', failing.url, {
		events: ['tracked_mail.undelivered'],
	});
	const states = ['sent', 'received', 'opened', 'undelivered'];
	await receiver.emit(
		Array.from({ length: 24 }, (_, n) => ({ event: `aes_${states[n % 4]}`, messageId: n + 1 })),
	);
	await until(async () => (await receiver.deliveries('delivered')).length === 24, 'delivered');
	await until(async () => (await receiver.deliveries('dead')).length >= 1, 'some are dead');
	return { receiver, recover: () => (status = 200) };
}

async function logIn(page: Page, url: string): Promise<void> {
	await page.goto(url);
	await page.getByLabel('Management token').fill(TOKEN);
	await page.getByRole('button', { name: 'Log in' }).click();
	await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
}

describe.each([
	['light', 1280],
	['dark', 1280],
	['light', 390],
	['dark', 390],
] as const)('%s, %d px wide', (colorScheme, width) => {
	it('logs in, shows what happened, and sends dead letters again', async () => {
		const { receiver, recover } = await receiverWithTraffic();
		const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
		const page = await context.newPage();
		const complained = complaints(page);
		await logIn(page, receiver.url);
		const shot = (name: string) =>
			page.screenshot({
				path: join(SCREENSHOTS, `receiver-${name}-${colorScheme}-${width}.png`),
				fullPage: true,
			});
		await shot('page');
		// Nothing but the tables, which scroll by themselves, may be wider than the window.
		const overflow = await page.evaluate(
			() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
		);
		expect(overflow).toBe(0);
		expect(await page.locator('svg rect.events').count()).toBeGreaterThan(0);

		await page.getByRole('link', { name: 'dead', exact: true }).click();
		const dead = page.locator('td.bad', { hasText: 'dead' });
		await dead.first().waitFor();
		const before = await dead.count();
		recover();
		await page.getByRole('button', { name: 'Send now' }).first().click();
		const isSent = async () => (await receiver.deliveries('dead')).length < before;
		await until(isSent, 'one is on its way');
		expect(complained).toEqual([]);
		await page.getByRole('button', { name: 'Log out' }).click();
		await page.getByLabel('Management token').waitFor();
		await shot('login');
		await context.close();
	});
});
