// More mails than fit one page: paged, searched, and copied from, while new ones arrive.
import { useSandbox } from '../../sandbox/src/testing/jest.ts';
import { call, letter, send } from '../contract/sandbox/client.ts';
import { page, usePage, useBrowser } from './use-page.ts';

jest.setTimeout(60_000);

let oldest: string;

const recipient = (email: string) => ({ email, firstname: 'Ada', lastname: 'Lovelace' });

const sandbox = useSandbox({ automatic: false });
// Before the page is opened, which would show them one by one.
beforeEach(async () => {
	const recipients = Array.from({ length: 205 }, (_, n) => recipient(`r${n}@mail.example`));
	const sent = await send(sandbox, letter({ recipients, fileReference: 'MAILING-1' }));
	oldest = sent.json.messages[0].id;
	await sandbox.control('POST /messages/{id}/{trigger}', { id: oldest, trigger: 'deliver' });
});

useBrowser();
usePage(sandbox, {
	viewport: { width: 320, height: 850 },
	permissions: ['clipboard-read', 'clipboard-write'],
});

const cards = () =>
	page.locator('article').evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.key));
const go = async (name: string) => {
	await page.getByRole('link', { name, exact: true }).press('Enter');
	await page.waitForLoadState();
};
const search = async (text: string) => {
	await page.getByRole('searchbox', { name: 'Search mails' }).fill(text);
	await page.getByRole('searchbox').press('Enter');
	await page.waitForURL(/\?q=/);
};

it('leads to the oldest and back, and keeps the place while mails arrive', async () => {
	const newest = await cards();
	expect(newest).toHaveLength(100);
	await go('Older');
	const middle = await cards();
	await go('Older');
	expect((await cards()).at(-1)).toBe(oldest);
	expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
	await page.goBack();
	expect(await cards()).toEqual(middle);

	const fragment = page.waitForResponse((response) => response.url().includes('/fragment'));
	await send(sandbox, letter({ recipients: [recipient('late@mail.example')] }));
	await fragment;
	expect(await cards()).toEqual(middle);
	await go('Newest');
	expect((await cards()).slice(1)).toEqual(newest.slice(0, 99));
});

it.each([
	['a recipient', () => 'R0@mail'],
	['a message id', () => oldest],
	['words of several fields, the subject among them', () => 'letter r0@ mailing-1'],
])('finds by %s', async (_, text) => {
	await search(text());
	expect(await cards()).toEqual([oldest]);
	await go('Show all');
	expect(await cards()).toHaveLength(100);
});

it('finds customers and contacts, all pages of a file reference, and says when there is nothing', async () => {
	const customers = [
		{ name: 'Café <b>', email: 'cafe@mail.example', isPaying: true, willSendLre: false },
	];
	const options = { as: 'reseller', body: { customers } };
	const made = await call(sandbox, '/customers/bulk_store', options);
	const body = { type: 'EMAIL', recipients: [recipient('contact@mail.example')] };
	const asked = await call(sandbox, '/consents/bulkStore', { body });
	await search('Café <b>');
	expect(await cards()).toEqual([made.json.customers[0].id]);
	await search('contact@');
	expect(await cards()).toEqual([asked.json[0].id]);
	await search('mailing-1');
	await go('Older');
	await go('Older');
	expect(await cards()).toHaveLength(5);
	await search('nowhere & "never"');
	await page.getByText('No mail has “nowhere & "never"”').waitFor();
});

it('copies message id and file reference exactly, also where the browser has no clipboard for it', async () => {
	// As on a page that is reached over plain HTTP from another machine.
	const copy = async (name: string) => {
		await page.getByRole('button', { name: `Copy ${name}`, exact: true }).click();
		await page.getByRole('button', { name: `Copied ${name}`, exact: true }).waitFor();
	};
	const pasted = async () => {
		await page.getByRole('searchbox').fill('');
		await page.getByRole('searchbox').press('Control+V');
		return await page.getByRole('searchbox').inputValue();
	};
	await search(oldest);
	await copy('File');
	expect(await pasted()).toBe('MAILING-1');
	await page.addInitScript(() =>
		Object.defineProperty(navigator, 'clipboard', { value: undefined }),
	);
	await page.reload();
	await copy('Message');
	expect(await pasted()).toBe(oldest);
});
