// The operator page in a real browser: what a person sees and clicks, in both colour schemes.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import { TOKEN, cleanUp, consume, start, until } from '../contract/receiver/harness.ts';
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
	const receiver = await start();
	const name = 'Invoices, Trigger';
	await consume(receiver, { key: 'n8n~workflow-1~trigger~production', name });
	const failing = {
		...{ key: 'n8n~workflow-2~trigger~production', name: 'Reminders, Trigger' },
		wants: { events: ['tracked_mail.undelivered'], filter: { messageTypes: ['AES' as const] } },
	};
	await consume(receiver, { ...failing, settle: () => 'term' });
	await receiver.pull({ holder: 'a-second-n8n' }, { key: failing.key });
	const states = ['sent', 'received', 'opened', 'undelivered'];
	await receiver.emit(
		Array.from({ length: 24 }, (_, n) => ({ event: `aes_${states[n % 4]}`, messageId: n + 1 })),
	);
	await until(async () => (await receiver.deliveries('done')).length === 24, 'settled');
	await until(async () => (await receiver.deliveries('dead')).length === 6, 'some are dead');
	return receiver;
}

async function logIn(page: Page, url: string): Promise<void> {
	await page.goto(url);
	await page.getByLabel('Management token').fill(TOKEN);
	await page.getByRole('button', { name: 'Log in' }).click();
	await page.getByRole('heading', { name: 'Batches' }).waitFor();
}

describe.each([
	['light', 1280],
	['dark', 1280],
	['light', 390],
	['dark', 390],
] as const)('%s, %d px wide', (colorScheme, width) => {
	it('logs in, shows what happened, and hands out dead batches again', async () => {
		const receiver = await receiverWithTraffic();
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
		const [first] = await receiver.deliveries('dead');
		await page.getByRole('button', { name: 'Hand out again' }).first().click();
		const isAgain = async () => (await receiver.deliveries('dead'))[0].id !== first.id;
		await until(isAgain, 'it was handed out again, and refused again');
		expect(complained).toEqual([]);
		await page.getByRole('button', { name: 'Log out' }).click();
		await page.getByLabel('Management token').waitFor();
		await shot('login');
		await context.close();
	});
});
