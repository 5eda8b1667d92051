// The operator page in a real browser: what a person sees and clicks, in both colour schemes.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import {
	ManualClock,
	TOKEN,
	cleanUp,
	consume,
	start,
	until,
} from '../contract/receiver/harness.ts';
import { localFolder } from '../n8n/folders.ts';
import { barriers } from './accessibility.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';
import { COLOR_SCHEMES, WIDTHS } from './looks.ts';

jest.setTimeout(120_000);

const SCREENSHOTS = join(localFolder, 'screenshots');
const FAILING = 'n8n~workflow-2~trigger~production';
const LONG = `Reminders ${'of a very long name '.repeat(12)}\u202e<b>`;

let browser: Browser;
beforeAll(async () => {
	await mkdir(SCREENSHOTS, { recursive: true });
	browser = await launchChromium();
}, 120_000);
afterAll(() => browser?.close());
afterEach(cleanUp);

async function receiverWithTraffic() {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const url = 'https://n8n.example/workflow/w1';
	const gone = { key: 'n8n~workflow-3~trigger~production' };
	await receiver.pull({ name: 'Archive', node: 'Trigger' }, gone);
	await receiver.pull({ leaving: true }, gone);
	await consume(receiver, {
		...{ key: 'n8n~workflow-1~trigger~production', name: 'Invoices', node: 'Trigger', url },
	});
	const failing = {
		...{ key: FAILING, name: LONG, node: 'Trigger', url },
		wants: { events: ['tracked_mail.undelivered'], filter: { messageTypes: ['AES' as const] } },
	};
	await consume(receiver, { ...failing, settle: () => 'term' });
	await receiver.pull({ holder: 'a-second-n8n' }, { key: failing.key });
	const states = ['sent', 'received', 'opened', 'undelivered'];
	await receiver.emit(
		Array.from({ length: 32 }, (_, n) => ({ event: `aes_${states[n % 4]}`, messageId: n + 1 })),
	);
	await until(async () => (await receiver.deliveries('done')).length === 32, 'settled');
	await until(async () => (await receiver.deliveries('dead')).length === 8, 'some are dead');
	// Time for what needs a person to be seen.
	clock.advance(2 * 60_000);
	const told = async () =>
		(await receiver.events()).filter(({ type }) => type === 'receiver.attention').length;
	await until(async () => (await told()) >= 2, 'dead ones and the second n8n are told');
	return receiver;
}

async function logIn(page: Page, url: string): Promise<void> {
	await page.goto(url);
	await page.getByLabel('Management token').fill(TOKEN);
	await page.getByRole('button', { name: 'Log in' }).click();
	await page.getByRole('heading', { name: 'Workflows' }).waitFor();
}

const LOOKS = WIDTHS.flatMap((width) =>
	COLOR_SCHEMES.map((colorScheme) => ({ colorScheme, width })),
);

describe.each(LOOKS)('$colorScheme, $width px wide', ({ colorScheme, width }) => {
	it('shows what happened and what is held back, finds a letter, and hands out dead ones again', async () => {
		const receiver = await receiverWithTraffic();
		const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
		const page = await context.newPage();
		const complained = complaints(page);
		/** As it is: pictured, without barriers, and nothing wider than the window. */
		const look = async (name: string) => {
			const file = `receiver-${name}-${colorScheme}-${width}.png`;
			// Chromium may have no memory for it in a busy moment.
			await until(async () => {
				const picture = page.screenshot({ path: join(SCREENSHOTS, file), fullPage: true });
				return await picture.then(
					() => true,
					() => false,
				);
			}, 'a picture of the page');
			expect(await barriers(page)).toEqual([]);
			// Tables scroll by themselves.
			const overflow = await page.evaluate(
				() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
			);
			expect(overflow).toBe(0);
		};
		await page.goto(receiver.url);
		await look('login');
		await logIn(page, receiver.url);
		await look('page');
		expect(await page.locator('svg rect.events').count()).toBeGreaterThan(0);
		await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
		await page.getByText('away since').waitFor();

		await page.getByRole('link', { name: 'Invoices', exact: true }).click();
		const inN8n = page.getByRole('link', { name: 'Open in n8n' });
		expect(await inN8n.getAttribute('href')).toBe('https://n8n.example/workflow/w1');
		await page.goto(`${receiver.url}/page/workflows/${FAILING}`);
		await look('workflow');
		expect(await page.locator('h1').textContent()).toContain('\\u202e<b>');

		await page.getByRole('link', { name: 'Dead', exact: true }).click();
		await page.getByRole('heading', { name: 'Dead deliveries, oldest first' }).waitFor();
		await look('dead');
		const [oldest] = (await receiver.deliveries('dead')).reverse();
		await page.getByRole('button', { name: 'Hand out again' }).first().click();
		await page.getByRole('status').getByText('The delivery goes out again').waitFor();
		expect(page.url()).toContain('state=dead');
		const isAgain = async () =>
			(await receiver.deliveries('dead')).every(({ id }) => id !== oldest.id);
		await until(isAgain, 'the oldest was handed out again');
		await page.reload();
		expect(await page.getByRole('status').count()).toBe(0);

		await page.getByLabel('Message ID').fill(' 4 ');
		await page.getByRole('button', { name: 'Search' }).click();
		await page.getByRole('heading', { name: 'Message 000000000004' }).waitFor();
		await page.getByRole('heading', { name: 'Waiting executions' }).waitFor();
		await page.getByRole('link', { name: 'Invoices', exact: true }).waitFor();
		await look('message');

		await page.getByRole('link', { name: 'Events', exact: true }).click();
		await page.getByRole('link', { name: 'Older' }).click();
		await page.getByRole('link', { name: 'Newest' }).waitFor();
		await look('events');
		await page.getByRole('link', { name: 'Attention', exact: true }).click();
		await page.getByText('is asked for by a second n8n').waitFor();
		await look('attention');

		expect(complained).toEqual([]);
		await page.getByRole('button', { name: 'Log out' }).click();
		await page.getByLabel('Management token').waitFor();
		await context.close();
	});
});
