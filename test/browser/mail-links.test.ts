// Every link in every kind of mail, clicked as its recipient would: it opens a tab where one can go on.
import type { FrameLocator, Locator, Page } from 'playwright-core';

import { useSandbox } from '../../sandbox/src/testing/jest.ts';
import { call, form, letter, send } from '../contract/sandbox/client.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { complaints } from './complaints.ts';
import { card, complained, context, page, usePage, useBrowser } from './use-page.ts';

jest.setTimeout(60_000);

let elsewhere: HttpServer;
let link: string;

const sandbox = useSandbox({ automatic: false });
useBrowser();
usePage(sandbox);
beforeAll(async () => {
	elsewhere = await serve((_request, response) => {
		response.setHeader('Content-Type', 'text/html');
		response.end('<title>Elsewhere</title><script>document.title += " runs"</script>');
	});
	link = `http://localhost:${elsewhere.port}/`;
});
afterAll(() => elsewhere?.close());

const mail = (id: string): FrameLocator => card(id).frameLocator('iframe');
const status = (id: string, text: string) =>
	card(id).locator('.status', { hasText: text }).waitFor();
const linkIn = (where: FrameLocator | Page, name: string): Locator =>
	where.getByRole('link', { name });

/** Follows a link by keyboard; gives the tab it opened, with what that complains of. */
async function follow(target: Locator): Promise<Page> {
	const opening = context.waitForEvent('page');
	await target.press('Enter');
	const tab = await opening;
	await tab.waitForLoadState();
	return tab;
}

/** Clicks a link, and gives the name and the beginning of the file that it downloads. */
async function download(target: Locator): Promise<[name: string, start: string]> {
	const downloading = new Promise<[string, string]>((resolve, reject) => {
		const watch = (tab: Page) =>
			tab.once('download', (file) => {
				const read = async (): Promise<[string, string]> => {
					const chunks = await (await file.createReadStream()).toArray();
					return [file.suggestedFilename(), Buffer.concat(chunks).subarray(0, 5).toString()];
				};
				read().then(resolve, reject);
			});
		context.on('page', watch);
		watch(page);
		for (const tab of context.pages()) watch(tab);
	});
	await target.click();
	return await downloading;
}

/** Sends a letter with an attachment and a link in it, as far as the mailbox. */
async function deliver(type: string): Promise<string> {
	const body = `<p>Read <a href="${link}">more</a></p>`;
	const sent = await send(
		sandbox,
		form(
			['type', type],
			['body', body],
			...Object.entries(letter().recipients[0] ?? {}).map(([name, value]): [string, string] => [
				`recipients[0].${name}`,
				value,
			]),
			['attachments', new File(['hello'], 'terms.txt')],
		),
		{ certificate: type === 'LRE' },
	);
	if (sent.status !== 201) throw new Error(JSON.stringify(sent.json));
	const id = sent.json.messages[0].id as string;
	await sandbox.control('POST /messages/{id}/{trigger}', { id, trigger: 'deliver' });
	return id;
}

it.each(['AES', 'MT'])('%s: what is linked in it, and its attachments', async (type) => {
	const id = await deliver(type);
	const tab = await follow(linkIn(mail(id), 'more'));
	// A tab of its own, in which scripts run as anywhere.
	expect([tab.url(), await tab.title()]).toEqual([link, 'Elsewhere runs']);
	await status(id, 'Received');
	expect(await download(linkIn(mail(id), 'terms.txt'))).toEqual(['terms.txt', 'hello']);
	await status(id, 'Opened');
});

it.each([
	['LRE', 'Accept', 'Accepted'],
	['LS', 'Open', 'Received'],
	['AS', 'Open', 'Received'],
])('%s: the letter, which is read there, and its evidence', async (type, answer, after) => {
	const id = await deliver(type);
	const tab = await follow(linkIn(mail(id), 'Go to the letter'));
	const complainedThere = complaints(tab);
	expect(await tab.locator('iframe').count()).toBe(0);
	await tab.getByRole('button', { name: answer }).click();
	await status(id, after);
	const inTab = tab.frameLocator('iframe');
	expect((await follow(linkIn(inTab, 'more'))).url()).toBe(link);
	expect(await download(linkIn(tab, 'terms.txt'))).toEqual(['terms.txt', 'hello']);
	const [, start] = await download(linkIn(tab, 'Evidence SENT'));
	expect(start).toBe('%PDF-');
	expect(complainedThere).toEqual([]);
	// The card shows the letter too, and links open from there.
	expect((await follow(linkIn(mail(id), 'more'))).url()).toBe(link);
	expect(await download(linkIn(page, 'terms.txt').last())).toEqual(['terms.txt', 'hello']);
});

it('who opens a registered letter can not mistake accepting it for refusing it', async () => {
	const tab = await follow(linkIn(mail(await deliver('LRE')), 'Go to the letter'));
	const looks = (name: string) =>
		tab.getByRole('button', { name }).evaluate((button) => {
			const { backgroundColor: fill, borderColor: edge } = getComputedStyle(button);
			const { x, y } = button.getBoundingClientRect();
			return { fill, edge, x, y, follows: button.closest('div')?.innerText };
		});
	const [accept, refuse] = [await looks('Accept'), await looks('Refuse')];
	expect(accept.fill).toBe(accept.edge);
	expect(refuse.fill).toBe('rgba(0, 0, 0, 0)');
	expect(refuse.edge).not.toBe(accept.edge);
	expect(Math.hypot(refuse.x - accept.x, refuse.y - accept.y)).toBeGreaterThan(200);
	expect([accept.follows, refuse.follows]).toEqual([
		expect.stringContaining('a proof that you accepted it'),
		expect.stringContaining('a proof that you refused it'),
	]);
});

it('a link that is no longer valid says so in words', async () => {
	await deliver('LRE');
	const href = await mail(await deliver('LRE'))
		.getByRole('link')
		.getAttribute('href');
	const answer = await page.goto(new URL(`${href}0`, sandbox.pageUrl).href);
	expect(answer?.status()).toBe(404);
	await page.getByRole('heading', { name: 'This link is not valid, or no longer' }).waitFor();
	complained.length = 0;
});

it('a consent, also from a reminder and from its link', async () => {
	const ask = async (type: string) =>
		(await call(sandbox, '/consents/bulkStore', { body: { ...letter(), type } })).json[0].id;
	const id = await ask('EMAIL');
	await call(sandbox, `/consents/${id}/remind`, { method: 'POST' });
	const tab = await follow(linkIn(mail(id), 'Answer'));
	await tab.getByRole('button', { name: 'I agree' }).click();
	await status(id, 'Accepted');

	const linked = await ask('LINK');
	await card(linked).getByRole('link').click();
	await page.getByRole('button', { name: 'I do not agree' }).click();
	await page.getByText('refused').waitFor();
});
