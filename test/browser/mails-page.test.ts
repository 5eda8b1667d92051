import { join } from 'node:path';

import { useSandbox } from '../../sandbox/src/testing/jest.ts';
import { serve } from '../support/http-server.ts';
import { sendTo } from './service.ts';
import { COLOR_SCHEMES } from './looks.ts';
import { browser, card, page, SCREENSHOTS, usePage, useBrowser } from './use-page.ts';

jest.setTimeout(120_000);

const sandbox = useSandbox();
useBrowser();

describe.each(COLOR_SCHEMES)('the mails page, %s', (colorScheme) => {
	usePage(sandbox, { colorScheme, viewport: { width: 1280, height: 900 } });

	it('shows a letter that arrives, and what its recipient does, without a reload', async () => {
		await page.evaluate(() => ((window as { marked?: boolean }).marked = true));
		const id = await sendTo(sandbox, 'AES', 'open@recipients.example', '<h1>Hello</h1>');
		await card(id).getByText('Opened').first().waitFor();
		expect(await card(id).locator('.timeline li').allInnerTexts()).toEqual([
			expect.stringContaining('Sent'),
			expect.stringContaining('Delivered'),
			expect.stringContaining('Opened'),
		]);
		expect(await card(id).innerText()).not.toContain('Makes no webhook');
		const letter = card(id).frameLocator('iframe');
		await letter.getByRole('heading', { name: 'Hello' }).waitFor();
		expect(await page.evaluate(() => (window as { marked?: boolean }).marked)).toBe(true);
		await page.screenshot({ path: join(SCREENSHOTS, `mails-${colorScheme}.png`) });
	});

	it('lets the recipient of a registered letter accept it, who may then read it', async () => {
		const id = await sendTo(sandbox, 'LRE', 'ada@recipients.example', '<p>The contract ends.</p>');
		const accept = card(id).getByRole('button', { name: 'Accept' });
		await accept.waitFor();
		// Who waits for an event of it waits in vain, and reads so beside the button.
		expect(await card(id).innerText()).toContain('Makes no webhook');
		expect(await card(id).frameLocator('iframe').getByText('The contract ends.').count()).toBe(0);
		await accept.click();
		await card(id).locator('.status', { hasText: 'Accepted' }).waitFor();
		await card(id).frameLocator('iframe').getByText('The contract ends.').waitFor();
		await page.screenshot({ path: join(SCREENSHOTS, `mails-accepted-${colorScheme}.png`) });
	});
});

describe('the time', () => {
	usePage(sandbox);

	it('moves on at a press, and says what happened then', async () => {
		await sandbox.control('PUT /clock', { now: '2030-01-01T09:00:00Z', frozen: true });
		await page.reload();
		const press = (name: string) => page.getByRole('button', { name }).click();
		await press('+1 hour');
		await page.getByText('+1 hour: nothing happened.').waitFor();
		await sendTo(sandbox, 'LS', 'never@recipients.example', '<p>Hello</p>');
		await press('+15 days');
		await page.getByText('+15 days: 1 delivered, 1 expired.').waitFor();
		await page.locator('#clock time', { hasText: '16 Jan 2030, 10:00:00 UTC' }).waitFor();
	});

	it('stands while the sandbox’s does, and runs on with it', async () => {
		const time = page.locator('#clock time');
		await sandbox.control('PUT /clock', { now: '2030-01-01T09:00:00Z', frozen: true });
		await page.clock.install();
		const refreshed = page.waitForResponse((response) => response.url().endsWith('/fragment'));
		await page.reload();
		await (await refreshed).finished();
		await page.clock.runFor(5000);
		expect(await time.innerText()).toBe('1 Jan 2030, 09:00:00 UTC');
		await sandbox.control('PUT /clock', { frozen: false });
		await page.locator('#clock time', { hasNotText: '09:00:00' }).waitFor();
	});
});

it('runs no script of a letter, and lets it reach nothing', async () => {
	const context = await browser.newContext();
	const page = await context.newPage();
	const dialogs: string[] = [];
	page.on('dialog', (dialog) => {
		dialogs.push(dialog.message());
		void dialog.dismiss();
	});
	const tracked: string[] = [];
	const tracker = await serve((request, response) => {
		tracked.push(request.url ?? '');
		response.end();
	});
	const trackerUrl = `http://localhost:${tracker.port}`;
	await page.goto(sandbox.pageUrl);
	const title = await page.title();

	const id = await sendTo(
		sandbox,
		'AES',
		'open@recipients.example',
		`<p>Dear reader</p>
		<script>alert(1); parent.document.title = 'taken'; document.body.textContent = 'taken'</script>
		<img src="${trackerUrl}/pixel.png" onerror="alert(2)">
		<a href="javascript:alert(3)">Click</a>
		<iframe srcdoc="<script>alert(4)</script>"></iframe>
		<meta http-equiv="refresh" content="0;url=${trackerUrl}/">`,
	);
	const letter = page.locator(`article[data-key="${id}"]`).frameLocator('iframe');
	await letter.getByText('Dear reader').waitFor();
	await letter.getByText('Click').click();
	// What the clicks could have set off has had its turn once another letter is there.
	const next = await sendTo(sandbox, 'AES', 'open@recipients.example', '<p>Another</p>');
	await page.locator(`article[data-key="${next}"]`).getByText('Opened').first().waitFor();

	expect(dialogs).toEqual([]);
	expect(await page.title()).toBe(title);
	expect(await letter.locator('body').innerText()).toContain('Dear reader');
	expect(await page.locator('article').count()).toBeGreaterThan(1);
	expect(tracked).toEqual([]);
	await context.close();
	await tracker.close();
});
