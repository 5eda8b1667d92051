// The operator page in a real browser: what a person sees and clicks, in both colour schemes. It is a page
// over the API, whose own answers test/contract/receiver/listings.test.ts has.
import { mkdir } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

import {
	KEY,
	ManualClock,
	TOKEN,
	cleanUp,
	consume,
	later,
	start,
	until,
} from '../contract/receiver/harness.ts';
import { LETTER, ME, USED_FOR, YOU, claimClient } from '../contract/receiver/claim-client.ts';
import { pollService } from '../contract/receiver/watching/service.ts';
import { serviceCredential, startStrictSandbox } from '../support/sandbox.ts';
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

const letter = (more: object = {}) => ({ ...LETTER, ...more });

async function receiverWithTraffic() {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const url = 'https://n8n.example/workflow/w1';
	const gone = { key: 'n8n~workflow-3~trigger~production' };
	await receiver.pull({ name: 'Archive', node: 'Trigger' }, gone);
	await receiver.pull({ leaving: true }, gone);
	await consume(receiver, {
		key: 'n8n~workflow-1~trigger~production',
		name: 'Invoices',
		node: 'Trigger',
		url,
	});
	const failing = {
		key: FAILING,
		name: LONG,
		node: 'Trigger',
		url,
		wants: { events: ['tracked_mail.undelivered'], filter: { messageTypes: ['AES' as const] } },
	};
	await consume(receiver, { ...failing, settle: () => 'term' });
	await receiver.pull({ holder: 'a-second-n8n' }, { key: failing.key });
	const states = ['sent', 'received', 'opened', 'undelivered'];
	await receiver.emit(
		Array.from({ length: 32 }, (_, n) => ({ event: `aes_${states[n % 4]}`, messageId: n + 1 })),
	);
	await until(async () => (await receiver.batches('done')).length === 32, 'settled');
	const claims = claimClient(receiver);
	const workflow = { id: 'w2', name: LONG };
	const recipients = [`${'a.long.name.'.repeat(5)}@recipients.example`];
	const customerReference = 'a reference of a customer, '.repeat(4);
	const own = letter({ workflow, recipients, fileReference: '2026-0042', customerReference });
	await claims.claim(ME, 'unknown', { letter: own });
	await claims.unknown(ME, 'unknown');
	await claims.claim(ME, 'leaving', { letter: letter() });
	await until(async () => (await receiver.batches('dead')).length === 8, 'some are dead');
	// Time for what needs a person to be seen.
	clock.advance(2 * 60_000);
	const told = async () =>
		(await receiver.events()).filter(({ type }) => type === 'receiver.attention').length;
	await until(async () => (await told()) >= 2, 'dead ones and the second n8n are told');
	return receiver;
}

async function logIn(page: Page, url: string, place = ''): Promise<void> {
	await page.goto(`${url}/${place}`);
	await page.getByLabel('Management token').fill(TOKEN);
	await page.getByRole('button', { name: 'Log in' }).click();
	await page.getByRole('button', { name: 'Log out' }).waitFor();
}

const LOOKS = WIDTHS.flatMap((width) =>
	COLOR_SCHEMES.map((colorScheme) => ({ colorScheme, width })),
);
/** What a scrollbar takes that does not lie over the page. */
const SCROLLBAR = 17;

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
			for (const less of [0, SCROLLBAR]) {
				await page.setViewportSize({ width: width - less, height: 900 });
				const overflow = await page.evaluate(
					() => document.documentElement.scrollWidth - document.documentElement.clientWidth,
				);
				expect({ name, less, overflow }).toEqual({ name, less, overflow: 0 });
			}
			await page.setViewportSize({ width, height: 900 });
		};
		await page.goto(receiver.url);
		await page.getByLabel('Management token').waitFor();
		await look('login');
		await logIn(page, receiver.url);
		await look('page');
		await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
		await page.getByText('unpublished, or not opened').waitFor();

		await page.getByRole('link', { name: 'Invoices', exact: true }).click();
		await page.getByRole('heading', { name: 'Invoices', level: 1 }).waitFor();
		const inN8n = page.getByRole('link', { name: 'Open in n8n' });
		expect(await inN8n.getAttribute('href')).toBe('https://n8n.example/workflow/w1');
		expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Invoices');
		await page.goto(`${receiver.url}/#/workflows/${FAILING}`);
		await page.getByText('aes_undelivered').or(page.getByText('\\u202e<b>')).first().waitFor();
		await look('workflow');
		expect(await page.locator('h1').textContent()).toContain('\\u202e<b>');

		await page.getByRole('link', { name: 'Dead', exact: true }).click();
		await page.getByRole('heading', { name: 'Dead batches, oldest first' }).waitFor();
		await look('dead');
		const [oldest] = (await receiver.batches('dead')).reverse();
		await page.getByRole('button', { name: 'Hand out again' }).first().click();
		await page.getByRole('status').getByText('The batch goes out again').waitFor();
		expect(page.url()).toContain('state=dead');
		const isAgain = async () =>
			(await receiver.batches('dead')).every(({ id }) => id !== oldest.id);
		await until(isAgain, 'the oldest was handed out again');
		await page.reload();
		await page.getByRole('heading', { name: 'Dead batches, oldest first' }).waitFor();
		expect(await page.getByRole('status').count()).toBe(0);

		await page.getByLabel('Message ID').fill(' 4 ');
		await page.getByRole('button', { name: 'Search' }).click();
		await page.getByRole('heading', { name: 'Message 000000000004' }).waitFor();
		await page.getByRole('heading', { name: 'Waiting executions' }).waitFor();
		await page.getByRole('link', { name: 'Invoices', exact: true }).waitFor();
		await look('message');

		await page.getByRole('link', { name: 'Letters', exact: true }).click();
		await page.getByRole('link', { name: 'Older' }).waitFor();
		await look('letters');

		await page.getByRole('link', { name: 'Events', exact: true }).click();
		await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
		await page.getByRole('link', { name: 'Older' }).click();
		await page.getByRole('link', { name: 'Newest' }).waitFor();
		await look('events');
		await page.getByRole('link', { name: /^Attention \d$/ }).click();
		await page.getByText('is asked for by a second n8n').waitFor();
		await look('attention');

		expect(complained).toEqual([]);
		await page.getByRole('button', { name: 'Log out' }).click();
		await page.getByLabel('Management token').waitFor();
		await page.reload();
		await page.getByLabel('Management token').waitFor();
		await context.close();
	});
});

/** A receiver with somebody logged in, in words alone. */
async function operated(env: Record<string, string> = {}, clock = new ManualClock()) {
	const receiver = await start({ dependencies: { clock }, env });
	const page = await browser.newPage();
	later(() => page.close());
	await logIn(page, receiver.url);
	/** The whole page once it says so. */
	const reads = async (place: string, words: string | RegExp) => {
		await page.goto(`${receiver.url}/${place}`);
		await page.reload();
		const text = async () =>
			((await page.locator('body').textContent()) ?? '').replace(/\s+/g, ' ');
		await until(async () => {
			const now = await text();
			return typeof words === 'string' ? now.includes(words) : words.test(now);
		}, `${place} says ${words}`);
		return await text();
	};
	/** Presses a button and, where it asks first, the one that says yes. */
	const press = async (name: string, words: string | RegExp, yes?: string) => {
		await page.getByRole('button', { name, exact: true }).first().click();
		if (yes !== undefined)
			await page.getByRole('dialog').getByRole('button', { name: yes }).click();
		await page.getByRole('status').getByText(words).waitFor();
	};
	/** Lets n8n refuse so many events for good. */
	const refuse = async (count: number, more: object = {}) => {
		await receiver.pull(more);
		await receiver.emit(
			Array.from({ length: count }, (_, n) => ({ event: 'aes_sent', messageId: n + 1 })),
		);
		const { batches } = await receiver.pulled({ atOnce: 100, ...more });
		const settle = batches.map(({ id }, n) => ({
			batch: id,
			outcome: 'term' as const,
			reason: `reason ${n + 1}`,
		}));
		await receiver.pulled({ settle, atOnce: 0, ...more });
	};
	return { clock, receiver, page, reads, press, refuse };
}

const NAMED = { name: 'Invoices', node: 'Trigger', url: 'https://n8n.example/workflow/1' };

it('is nothing without the token, which stays in the tab: no cookie, no address, no script of others', async () => {
	const receiver = await start();
	await receiver.emit({ event: 'aes_sent', messageId: 77 });
	const context = await browser.newContext();
	later(() => context.close());
	const page = await context.newPage();
	const answer = await page.goto(`${receiver.url}/#/letters/000000000077`);
	const policy = answer?.headers()['content-security-policy'] ?? '';
	expect(policy).toContain("default-src 'none'");
	expect(policy).toContain("require-trusted-types-for 'script'");
	expect(policy).not.toMatch(/unsafe|https?:|\*/);
	expect(await answer?.text()).not.toMatch(/<style| style=| on[a-z]+=|<script[^>]*>[^<]/);
	await page.getByLabel('Management token').fill('not-the-token');
	await page.getByRole('button', { name: 'Log in' }).click();
	await page.getByRole('alert').getByText('That is not a management token.').waitFor();
	expect(await page.locator('body').textContent()).not.toContain('aes_sent');
	await page.getByLabel('Management token').fill(TOKEN);
	await page.getByRole('button', { name: 'Log in' }).click();
	await page.getByText('webhook aes_sent').waitFor();
	await page.reload();
	await page.getByText('webhook aes_sent').waitFor();
	expect(page.url()).not.toContain(TOKEN);
	expect(await context.cookies()).toEqual([]);
	const other = await context.newPage();
	await other.goto(receiver.url);
	await other.getByLabel('Management token').waitFor();
});

it('lets in behind a proxy that wants a log-in of its own', async () => {
	const receiver = await start();
	const proxy = createServer((request, response) => {
		if (request.headers.authorization !== `Basic ${btoa('me:secret')}`) {
			response.writeHead(401, { 'www-authenticate': 'Basic realm="proxy"' }).end();
			return;
		}
		const { method, headers } = request;
		const on = forward(receiver.url + request.url, { method, headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 502, answer.headers);
			answer.pipe(response);
		});
		request.pipe(on);
	});
	later(() => void proxy.close());
	await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
	const httpCredentials = { username: 'me', password: 'secret' };
	const context = await browser.newContext({ httpCredentials });
	later(() => context.close());
	const page = await context.newPage();
	await logIn(page, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
	await page.getByRole('heading', { name: 'Workflows' }).waitFor();
});

it.each(['%', 'constructor', '__proto__', 'workflows/%', 'toString/1', 'nothing'])(
	'says that there is no such page: #/%s',
	async (place) => {
		const { page, receiver } = await operated();
		const complained = complaints(page);
		await page.goto(`${receiver.url}/#/${place}`);
		await page.getByRole('heading', { name: 'No such page' }).waitFor();
		await page.reload();
		await page.getByRole('heading', { name: 'No such page' }).waitFor();
		expect(complained).toEqual([]);
	},
);

it('shows what is new by itself, but not under the hands of somebody', async () => {
	const { receiver, page } = await operated();
	await page.clock.install();
	await page.reload();
	const named = (name: string) => page.getByRole('heading', { name });
	await named('Workflows').waitFor();
	const search = page.getByLabel('Message ID');
	// Before there is news, since the clock goes on by itself, too.
	await search.fill('12');
	await receiver.pull(NAMED);
	let asked = 0;
	page.on('request', () => void asked++);
	await page.clock.runFor(60_000);
	expect(await named('Invoices').count()).toBe(0);
	expect(asked).toBe(0);
	await search.blur();
	await page.clock.runFor(11_000);
	await named('Invoices').waitFor();
	expect(await search.inputValue()).toBe('12');
});

it.each<[string, (page: Page) => Promise<unknown>]>([
	['something is asked', async (page) => page.getByRole('button', { name: 'Forget' }).click()],
	[
		'the tab is hidden',
		async (page) => page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true })),
	],
])('asks for nothing new while %s', async (_, begin) => {
	const { receiver, page, refuse } = await operated();
	await refuse(1, NAMED);
	await receiver.pull({ ...NAMED, leaving: true });
	await page.clock.install();
	await page.goto(`${receiver.url}/#/workflows/${KEY}`);
	await page.reload();
	await page.getByRole('button', { name: 'Forget' }).waitFor();
	await begin(page);
	let asked = 0;
	page.on('request', () => void asked++);
	await page.clock.runFor(60_000);
	expect(asked).toBe(0);
});

it('keeps scroll, focus and what stays the same while it shows what is new, and asks at once when the tab is seen again', async () => {
	const { receiver, page, send, rows } = await operatedWithLetters();
	for (let n = 0; n < 12; n++) await send(`k-${n}`, {}, [String(n + 1).padStart(12, '0')]);
	await page.setViewportSize({ width: 320, height: 400 });
	await page.clock.install();
	await page.goto(`${receiver.url}/#/letters`);
	await page.reload();
	await page.getByRole('link', { name: '000000000012' }).focus();
	const table = page.getByRole('region', { name: 'Letters' });
	await table.evaluate((figure) => void (figure.scrollLeft = 200));
	await page.evaluate(() => scrollTo(0, 400));
	const place = () =>
		page.evaluate(() => [
			scrollY,
			document.querySelector('figure')?.scrollLeft,
			document.activeElement?.tagName,
			document.querySelector('table')?.isSameNode((window as unknown as { it?: Node }).it ?? null),
		]);
	await page.evaluate(() => Object.assign(window, { it: document.querySelector('table') }));
	// From here on time alone brings nothing.
	await page.clock.pauseAt(Date.now() + 60_000);
	const before = await place();
	expect(before).toEqual([400, 200, 'A', true]);
	await send('new', { recipients: ['new@recipients.example'] }, ['000000000099']);
	await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
	await until(async () => (await rows())[0].includes('new@'), 'the new one');
	expect(await place()).toEqual(before);
});

it('keeps what it shows while the receiver does not answer, and says so', async () => {
	const { page, receiver } = await operated();
	await receiver.pull(NAMED);
	await page.clock.install();
	await page.goto(`${receiver.url}/#/workflows`);
	await page.reload();
	await page.getByRole('heading', { name: 'Invoices' }).waitFor();
	await page.route('**/consumers*', (route) => route.abort());
	await page.clock.runFor(11_000);
	await page.getByRole('alert').getByText('The receiver does not answer').waitFor();
	await page.getByRole('heading', { name: 'Invoices' }).waitFor();
	await page.unroute('**/consumers*');
	await page.clock.runFor(11_000);
	await page.getByRole('alert').waitFor({ state: 'detached' });
});

it('says on every page, and in the name of its tab, how much needs somebody', async () => {
	const { clock, page, reads, refuse } = await operated();
	expect(await page.title()).toBe('Registered Delivery receiver');
	await refuse(1, NAMED);
	clock.advance(120_000);
	await reads('#/events', 'Attention 1');
	expect(await page.title()).toBe('(1) Events · Registered Delivery receiver');
});

it('goes to the top of a new page, also if it looks for what is new before that has come', async () => {
	const { page } = await operated();
	await page.clock.install();
	await page.reload();
	const { promise, resolve: answer } = Promise.withResolvers<void>();
	let asked = 0;
	await page.route('**/events?*', async (route) => {
		asked++;
		await promise;
		await route.continue();
	});
	await page.getByRole('link', { name: 'Events', exact: true }).click();
	await until(() => asked > 0, 'the page to ask');
	await page.clock.runFor(11_000);
	await until(() => asked > 1, 'it to ask again');
	answer();
	await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
	await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
});

it('shows what was asked for last, however late an answer to what was asked before', async () => {
	const { page, receiver } = await operated();
	await page.goto(`${receiver.url}/#/letters`);
	const { promise, resolve: answer } = Promise.withResolvers<void>();
	await page.route('**/events?*', async (route) => {
		await promise;
		await route.continue();
	});
	const late = page.waitForResponse('**/events?*');
	await page.getByRole('link', { name: 'Events', exact: true }).click();
	await page.getByRole('link', { name: 'Batches', exact: true }).click();
	await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
	answer();
	await (await late).finished();
	await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
	expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Batches');
});

it('takes the second of a double click for none', async () => {
	const { receiver, page, reads, refuse } = await operated();
	await refuse(3, NAMED);
	await reads('#/batches?state=dead', 'reason 3');
	await page.getByRole('button', { name: 'Hand out again' }).first().dblclick();
	await page.getByRole('status').getByText('The batch goes out again').waitFor();
	expect(await receiver.batches('dead')).toHaveLength(2);
});

it('shows what names and events bring along, obeys none of it, and keeps what is from right to left apart', async () => {
	const { receiver, page, reads } = await operated();
	await receiver.pull({ ...NAMED, name: '<b>In\u202evoices\u0007' });
	await receiver.pull({ name: '\u05e9\u05dc\u05d5\u05dd 12' }, { key: 'n8n~of-right-to-left' });
	await receiver.pull({}, { key: 'n8n~nameless' });
	await receiver.emit({ event: '<img src=x onerror=alert(1)>"\'&' });
	const text = await reads('', '<img src=x onerror=alert(1)>"\'&');
	expect(text).toContain('<b>In\\u202evoices\\u0007');
	expect(text).toContain('A workflow without a name');
	expect(await page.locator('main img, main b b').count()).toBe(0);
	expect(await page.locator('bdi', { hasText: '\u05e9\u05dc\u05d5\u05dd' }).count()).toBe(1);
});

it('says what is held back and why, what is wanted, and since when n8n is away', async () => {
	const { clock, receiver, reads } = await operated();
	const filter = { messageTypes: ['LRE', 'AES'], fileReference: '<F1>' };
	const wants = { events: ['*'], filter, batchSize: 1 };
	await receiver.pull({ ...NAMED, wants } as object);
	expect(await reads(`#/workflows/${KEY}`, 'listening')).toContain(
		'every event of letters; message type LRE or AES; file reference <F1>',
	);
	await receiver.pull(NAMED);
	await receiver.emit([
		{ id: '1', event: 'aes_sent', messageId: 1 },
		{ id: '2', event: 'aes_opened', messageId: 1 },
		{ id: '3', event: 'aes_sent', messageId: 2 },
		{ id: '4', event: 'aes_sent', messageId: 3 },
	]);
	const { batches } = await receiver.pulled({ ...NAMED, atOnce: 2 });
	clock.advance(5_000);
	const held = await reads('', 'n8n has 2 batches in hand. 1 batch waits for a retry');
	expect(held).toContain('Up to 1 event comes after that, wanted or not. The oldest came 5 s ago.');
	expect(held).toMatch(/Oldest waiting\s*5 s/i);
	await receiver.pulled({
		...NAMED,
		atOnce: 0,
		settle: [{ batch: batches[0].id, outcome: 'nak', reason: 'no room in n8n' }],
	});
	const waiting = await reads(`#/workflows/${KEY}`, 'again at 2026-01-31 09:30:06: no room in n8n');
	expect(waiting).toContain(
		'n8n has it; if n8n falls silent, it goes out again at 2026-01-31 09:31:00',
	);
	expect(waiting).toContain('waits for an earlier one of the same letter');
	await receiver.pull({ ...NAMED, leaving: true });
	clock.advance(7_200_000);
	const away = await reads('', 'away since 2026-01-31 09:30:05 UTC, for 2 h');
	expect(away).toMatch(/Oldest waiting\s*none/i);
	await receiver.pull({ ...NAMED, name: 'Reminders' }, { key: 'n8n~other~trigger' });
	await reads('', 'unpublished, or not opened, since 2026-01-31 09:30:05 UTC');
});

it('hands dead ones out again one by one, of a workflow and all, and says so when it can not', async () => {
	const { receiver, page, reads, press, refuse } = await operated();
	await refuse(30, NAMED);
	const first = await reads('#/batches?state=dead', 'reason 25');
	// The next cell is the time.
	const reasons = [...first.matchAll(/reason (\d+?)2026-/g)].map(([, number]) => Number(number));
	expect(reasons).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
	await page.getByRole('link', { name: 'Next' }).click();
	await page.getByRole('link', { name: 'Oldest' }).click();
	await page.getByText('reason 25').waitFor();
	const [{ id }] = (await receiver.batches('dead')).slice(-1);
	await receiver.manage('POST', `/batches/${id}/retry`);
	await press('Hand out again', 'it has been handed out again already');
	await press('Hand out again', 'The batch goes out again, as number 32.');
	await press('Hand out all dead ones again', '28 batches go out again.', 'Hand out');
	await page.getByText('None.').waitFor();
	await reads('#/events', 'tracked_mail.sent');
	await press('Replay', 'The event goes out again to 1 workflow.');
});

it('forgets a workflow that is away, and says what it will not get', async () => {
	const { receiver, page, reads, press, refuse } = await operated();
	await refuse(2, NAMED);
	expect(await reads(`#/workflows/${KEY}`, 'listening')).not.toContain('Forget this workflow');
	await receiver.pull({ ...NAMED, leaving: true });
	await reads(`#/workflows/${KEY}`, 'away since');
	const asked = page.getByRole('dialog', { name: 'Forget this workflow?' });
	await page.getByRole('button', { name: 'Forget this workflow' }).press('Enter');
	await asked.waitFor();
	expect(await barriers(page)).toEqual([]);
	await page.keyboard.press('Enter');
	await asked.waitFor({ state: 'detached' });
	await page.getByRole('button', { name: 'Forget this workflow' }).press('Enter');
	await page.keyboard.press('Escape');
	await asked.waitFor({ state: 'detached' });
	expect(await receiver.consumers()).toHaveLength(1);
	await press('Forget this workflow', 'Invoices is forgotten.', 'Forget it');
	await page.getByRole('heading', { name: 'Workflows' }).waitFor();
	expect(await receiver.consumers()).toEqual([]);
	await reads(
		'#/attention',
		'The workflow "Invoices" lost 2 batches: an operator told the receiver to forget it.',
	);
});

it('shows what needs somebody until it is over, and that it was', async () => {
	const { clock, receiver, reads, refuse } = await operated();
	await refuse(1, NAMED);
	clock.advance(120_000);
	await reads('', 'The workflow "Invoices" could not be started for one batch');
	await receiver.manage('POST', '/batches/retry?state=dead');
	await until(async () => {
		clock.advance(60_000);
		const { body } = await receiver.manage('GET', '/attention');
		return (body.data as unknown[]).length === 0;
	}, 'it is over');
	expect(await reads('#/attention', 'All is well.')).toMatch(/over since 2026-01-31 09:3/);
});

/** A receiver with somebody logged in, and letters, of each its last digit. */
async function operatedWithLetters(...how: Parameters<typeof operated>) {
	const all = await operated(...how);
	const claims = claimClient(all.receiver);
	/** Sent, if it has ids. */
	const send = async (key: string, more: object, messageIds: string[] = []) => {
		await claims.claim(ME, key, { letter: letter(more) });
		if (messageIds.length === 0) return await claims.unknown(ME, key, 'the connection broke');
		const answer = { messages: messageIds.map((id) => ({ id })) };
		return await claims.put(key, { state: 'sent', holder: ME, answer, messageIds });
	};
	const rows = async () =>
		await all.page.locator('main tbody').first().locator('tr').allInnerTexts();
	return { ...all, claims, send, rows };
}

it('has no letter until one is sent', async () => {
	const { page, reads, send } = await operatedWithLetters();
	expect(await reads('', 'No letter yet')).not.toContain('No such letter.');
	await reads('#/letters', 'No letter yet');
	expect(await barriers(page)).toEqual([]);
	await send('k', {}, ['000000000001']);
	await reads('#/letters', '000000000001');
	await page.getByLabel('Recipient').fill('ben@recipients.example');
	await page.getByRole('button', { name: 'Find' }).click();
	await page.getByText('No such letter.').waitFor();
});

it('counts letters by outcome, and finds them by recipient, reference, status, workflow and day, page by page, and by a link', async () => {
	const { clock, receiver, page, reads, send, rows } = await operatedWithLetters();
	const outcomes = page.getByRole('navigation', { name: 'Outcomes' });
	const choices = async () => await outcomes.getByRole('link').allInnerTexts();
	const ben = { recipients: ['ben@recipients.example'], fileReference: 'F 1' };
	for (let n = 0; n < 27; n++) await send(`ben-${n}`, ben, [String(100 + n).padStart(12, '0')]);
	await receiver.emit({ event: 'lre_failed', messageId: '000000000100' });
	// The next day.
	clock.advance(24 * 3_600_000);
	await send('ada', { customerReference: 'C <1>' }, ['000000000001']);
	await reads('', '000000000001');
	expect(await rows()).toHaveLength(10);
	expect((await rows())[0]).toMatch(
		/^under way\s+ada@recipients\.example\s+LRE\s+C <1>\s+Reminders\s+2026-02-01 09:30:\d\d\s+000000000001$/,
	);
	expect(await choices()).toEqual(['all 28', 'under way 27', 'failed 1']);
	await page.getByRole('link', { name: 'All letters' }).click();
	await page.getByRole('heading', { name: 'Letters', level: 1 }).waitFor();

	await page.getByLabel('Recipient').fill(' Ben@recipients.example ');
	await page.getByLabel('Reference').fill('F 1');
	await page.getByLabel('Reference').press('Enter');
	await page.getByRole('link', { name: 'Older' }).click();
	await page.getByRole('link', { name: 'Newest' }).waitFor();
	expect((await rows()).map((row) => row.slice(-12))).toEqual(['000000000101', '000000000100']);
	// The same for whoever is sent the link.
	await page.reload();
	await page.getByRole('link', { name: 'Newest' }).waitFor();
	expect(await page.getByLabel('Recipient').inputValue()).toBe('Ben@recipients.example');
	const counted = ['all 27', 'under way 26', 'failed 1'];
	expect(await choices()).toEqual(counted);
	await outcomes.getByText('failed').click();
	await until(async () => (await rows()).length === 1, 'the one that failed');
	expect((await rows())[0]).toMatch(/^failed\s.*000000000100$/s);
	expect(await choices()).toEqual(counted);
	expect(await outcomes.locator('[aria-current=true]').innerText()).toBe('failed 1');
	// What is looked for next is looked for among these.
	await page.getByLabel('Reference').fill('');
	await page.getByRole('button', { name: 'Find' }).click();
	await until(() => !page.url().includes('reference='), 'the other address');
	expect(page.url()).toContain('outcome=failed');

	await page.goBack();
	await page.goBack();
	await page.getByRole('link', { name: 'Newest' }).waitFor();
	expect(await outcomes.locator('[aria-current=true]').innerText()).toBe('all 27');
	await page.getByRole('link', { name: 'Show all' }).click();
	await until(async () => (await page.getByLabel('Recipient').inputValue()) === '', 'no filter');
	await page.getByLabel('To (UTC)').fill('2026-01-31');
	await page.getByRole('button', { name: 'Find' }).click();
	await until(async () => !(await rows()).join().includes('ada@'), 'those of the day before');
	expect(await rows()).toHaveLength(25);
	await reads('#/letters?since=2026-02-01&until=2026-02-01', '000000000001');
	expect(await rows()).toHaveLength(1);
	await page.getByRole('link', { name: '000000000001' }).click();
	await page.getByRole('heading', { name: 'Message 000000000001' }).waitFor();
	await reads('#/letters?until=yesterday', 'is not a time such as');
	await reads('#/letters', 'under way 27');
	await page.getByLabel('Status').fill('failed');
	await page.getByLabel('Status').press('Enter');
	await until(async () => (await rows()).length === 1, 'those of that status');
	await page.getByRole('link', { name: 'Reminders' }).click();
	await until(
		async () => (await page.getByLabel('Workflow ID').inputValue()) === 'w1',
		'by workflow',
	);
	await until(async () => (await rows()).length === 25, 'all of that workflow');
});

it('settles letters of unknown outcome: one was sent, another was not', async () => {
	const { clock, receiver, page, reads, press, claims, send, rows } = await operatedWithLetters();
	await send('told', {});
	await claims.claim(ME, 'silent', {
		letter: letter({ recipients: ['ben@x.example', 'eve@x.example'] }),
	});
	await reads('#/letters', 'being sent');
	expect(await page.getByRole('button', { name: 'It was sent' }).count()).toBe(1);
	clock.advance(130_000);
	await reads('', 'Needs attention');
	await page.getByRole('link', { name: 'See them' }).click();
	await page.getByRole('heading', { name: 'Letters', level: 1 }).waitFor();
	await page.getByText('Look at the delivery service').waitFor();
	const outcomes = page.getByRole('navigation', { name: 'Outcomes' });
	expect(await outcomes.locator('[aria-current=true]').innerText()).toBe('unknown 3');
	expect(await rows()).toHaveLength(3);

	await page.getByRole('button', { name: 'It was sent' }).first().click();
	const asked = page.getByRole('dialog', { name: 'Was it sent?' });
	await asked.getByText('Nobody sends the letter to eve@x.example again').waitFor();
	await asked.getByLabel('Message IDs').fill('12');
	await asked.getByRole('button', { name: 'It was sent' }).click();
	expect(await claims.get('silent')).toMatchObject({ state: 'unknown' });
	await asked.getByLabel('Message IDs').fill('000000000012, 000000000013');
	expect(await barriers(page)).toEqual([]);
	await page.screenshot({ path: join(SCREENSHOTS, 'receiver-it-was-sent.png') });
	await asked.getByLabel('Message IDs').press('Enter');
	await page.getByRole('status').getByText('It is kept as sent').waitFor();
	expect(await rows()).toHaveLength(1);
	const answer = { messages: [{ id: '000000000012' }, { id: '000000000013' }] };
	expect(await claims.claim(YOU, 'silent')).toMatchObject({ state: 'sent', answer });

	await press('It was not', 'It may be sent again.', 'It was not');
	await page.getByText('No such letter.').waitFor();
	expect(await claims.get('told')).toMatchObject({ code: 'claim-not-found' });
	await reads('#/letters', '000000000013');
	expect(await rows()).toEqual([
		expect.stringMatching(/eve@x\.example.*000000000013$/s),
		expect.stringMatching(/ben@x\.example.*000000000012$/s),
	]);
	expect((await receiver.manage('GET', '/letters/summary')).body).toMatchObject({ total: 2 });
});

it('tells the story of a letter from its claim on, before it left, whatever became of it', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = service.env({ WATCH_RATE_LIMIT: '60000', LETTER_LIMIT: '4/1d' });
	const { receiver, page, reads, claims, send } = await operatedWithLetters(env, clock);
	const ids = ['000000000001', '000000000002', '000000000003'];
	const at = { service: service.url };
	for (const [n, id] of ids.entries()) {
		await send(`k-${n}`, { ...at, fileReference: `F${n}` }, [id]);
		service.messages.set(id, { status: ['SENT', 'ACCEPTED', 'REFUSED'][n] });
	}
	await until(async () => {
		clock.advance(10_000);
		return (await receiver.events()).length >= 4;
	}, 'they are answered');
	const begin = /Reminders, execution 7, before it left/.source;
	const [open, accepted, refused] = ids.map((id) => `#/letters/${id}`);
	expect(await reads(open, 'F0')).toMatch(
		new RegExp(
			`Outcome ?under way ?To ?ada@recipients.example ?.*claimed.*${begin}.*letter.sent ?SENT`,
		),
	);
	expect(await reads(accepted, 'F1')).toMatch(
		new RegExp(`Outcome ?accepted.*claimed.*${begin}.*letter.accepted ?ACCEPTED`),
	);
	expect(await reads(refused, 'F2')).toMatch(
		new RegExp(`Outcome ?refused.*claimed.*${begin}.*letter.refused ?REFUSED`),
	);
	await page.screenshot({ path: join(SCREENSHOTS, 'receiver-story.png'), fullPage: true });
	expect(await barriers(page)).toEqual([]);

	await send('k-unknown', { ...at, recipients: ['eve@recipients.example'] });
	await reads('#/letters', /unknown ?the connection broke ?eve@/);
	await page.getByRole('button', { name: 'It was sent' }).click();
	await page.getByLabel('Message IDs').fill('000000000004');
	await page.getByLabel('Message IDs').press('Enter');
	await page.getByRole('link', { name: '000000000004' }).click();
	await page.getByText('before it left').waitFor();

	const beyond = await claims.claim(ME, 'k-beyond', { letter: letter(at) });
	expect(beyond).toMatchObject({ state: 'limited' });
	clock.advance(120_000);
	await reads('', /LETTER_LIMIT is reached .* raise LETTER_LIMIT/);
	await page.getByRole('link', { name: 'See them' }).click();
	await page.getByRole('link', { name: 'all 4' }).waitFor();
});

it('shows keys of unknown outcome that have no letter in the book, and settles them, too', async () => {
	const { page, reads, press, claims, send } = await operatedWithLetters();
	await send('letter', {});
	await claims.claim(ME, 'key-of-a-consent', { name: 'consent of Ben' });
	await claims.unknown(ME, 'key-of-a-consent', 'the connection broke');
	await reads('#/letters?outcome=unknown', /Other keys.*consent of Ben ?the connection broke/);
	const others = page.locator('section', { hasText: 'Other keys' });
	expect(await others.locator('tbody tr').count()).toBe(1);
	expect(await others.getByRole('button', { name: 'It was sent' }).count()).toBe(0);
	await claims.claim(ME, 'key-of-another', { name: 'invoice 8', usedFor: USED_FOR });
	await claims.unknown(ME, 'key-of-another');
	await reads('#/letters?outcome=unknown', /invoice 8 ?LRE/);
	await others.getByRole('button', { name: 'It was sent' }).click();
	await page.getByLabel('Message IDs').fill('000000000012');
	await page.getByLabel('Message IDs').press('Enter');
	await page.getByRole('status').getByText('It is kept as sent').waitFor();
	await others.getByRole('button', { name: 'It was not' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'It was not' }).click();
	await page.getByRole('status').getByText('It may be sent again.').waitFor();
	expect(await others.count()).toBe(0);
	await press('It was not', 'It may be sent again.', 'It was not');
});

it('shows an execution that nobody woke, and wakes it again', async () => {
	const { clock, receiver, page, reads, press } = await operated();
	const messageId = '000000000002';
	await receiver.manage('PUT', '/waits/wait-of-the-second-letter', {
		instance: 'n8n',
		resumeUrl: 'https://n8n.example/wait/7?signature=secret',
		secret: 's'.repeat(40),
		messages: [{ messageId }],
		deadline: '2026-02-28T00:00:00Z',
	});
	await receiver.emit({ event: 'aes_failed', messageId });
	const { wakeUps } = await receiver.pulled();
	const reason = 'the execution is gone';
	await receiver.pulled({
		wakeUps: wakeUps.map(({ id }) => ({ batch: id, outcome: 'term' as const, reason })),
	});
	clock.advance(120_000);
	expect(await reads('', 'Needs attention')).toMatch(/Dead batches\s*1/);
	await page.getByRole('link', { name: 'See them' }).click();
	await page.getByRole('heading', { name: 'Dead batches, oldest first' }).waitFor();
	await page.getByText(reason).waitFor();
	await reads(`#/letters/${messageId}`, 'lost: nobody woke it');
	await press('Wake again', 'The execution is woken again.');
	expect((await receiver.pulled()).wakeUps).toHaveLength(1);
});

it('shows a letter whole: events, batches and waits page by page, and that it was erased', async () => {
	const { clock, receiver, page, reads, refuse } = await operated();
	await refuse(3, NAMED);
	const messageId = '000000000002';
	for (let n = 0; n < 51; n++) {
		clock.advance(1);
		const wait = await receiver.manage('PUT', `/waits/wait-of-the-second-letter-${n}`, {
			instance: 'n8n',
			resumeUrl: `https://n8n.example/wait/${n}?signature=secret`,
			secret: 's'.repeat(40),
			messages: [{ messageId }],
			deadline: '2026-02-28T00:00:00Z',
		});
		expect(wait.status).toBe(200);
	}
	await reads('#/letters/1234567890123', 'A message id has 12 digits.');
	await page.getByLabel('Message ID').fill('ada');
	await page.getByRole('button', { name: 'Search' }).click();
	expect(page.url()).toContain('#/letters/1234567890123');
	await page.getByLabel('Message ID').fill(' 0000 2');
	await page.getByRole('button', { name: 'Search' }).click();
	await page.getByRole('heading', { name: `Message ${messageId}` }).waitFor();
	const found = await reads(`#/letters/${messageId}`, 'waits for outcomes');
	expect(found).toMatch(/tracked_mail\.sent ?SENT/);
	expect(found).toMatch(/Invoices ?000000000002 ?dead ?1 ?reason 2/);
	expect(found).toContain('https://n8n.example/wait/50');
	expect(found).not.toMatch(/signature=secret|wait\/0\b/);
	await page.getByRole('link', { name: 'Older' }).click();
	await page.getByText('https://n8n.example/wait/0', { exact: true }).waitFor();
	await page.getByText('reason 2').waitFor();
	expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
	await page.goBack();
	await page.getByText('https://n8n.example/wait/50', { exact: true }).waitFor();

	await reads('#/letters/000000000099', 'No event of this message is on record');
	await receiver.manage('DELETE', `/letters/${messageId}`);
	await reads(`#/letters/${messageId}`, /This letter was erased on request\. .* until \d{4}-/);
});

it.each([
	['large', 6, 'x'.repeat(900_000)],
	['many', 51, ''],
])('says of a letter with %s events that there are more, and where', async (_, count, text) => {
	const { receiver, page, reads } = await operated();
	for (let n = 1; n <= count; n++)
		await receiver.emit({ event: `aes_new_${n}.`, messageId: 1, n, text });
	const first = await reads('#/letters/000000000001', 'More events of this message are on other');
	expect(first).toContain('aes_new_1.');
	expect(first).not.toContain(`aes_new_${count}.`);
	await page.getByRole('link', { name: 'Next' }).click();
	await page.getByText(`aes_new_${count}.`).first().waitFor();
	expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);
	await page.getByRole('link', { name: 'Oldest' }).click();
	await page.getByText('aes_new_1.').first().waitFor();
});

it('shows how the service is polled, what came by webhook and what by watching, and polls at once', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const env = service.env({ WATCH_RATE_LIMIT: '60000' });
	const { receiver, reads, press } = await operated(env, clock);
	const messageId = '000000000001';
	await receiver.emit({ event: 'aes_sent', messageId });
	await receiver.manage('PUT', `/watches/${messageId}`, { messageType: 'AES' });
	await reads('', /Letters watched ?1 ?Next poll ?in \d+ s/);
	service.messages.set(messageId, { status: 'RECEIVED' });
	await until(async () => {
		clock.advance(10_000);
		return (await receiver.events()).some(({ type }) => type === 'tracked_mail.received');
	}, 'the poll has been stored');
	const before = await reads(
		`#/letters/${messageId}`,
		/tracked_mail\.sent ?SENT.*webhook aes_sent/,
	);
	expect(before).toMatch(/tracked_mail\.received ?RECEIVED ?[-0-9: ]+watching /);
	await receiver.emit({ event: 'aes_received', messageId, eventId: 'late-1' });
	await reads(`#/letters/${messageId}`, 'its webhook came later');
	await press('Watch no more', 'This message is no longer watched.');

	service.trouble = () => ({ status: 403, body: { code: 'forbidden' } });
	await receiver.manage('PUT', '/watches/000000000002', { messageType: 'AES' });
	const { length: before403 } = service.polls;
	await until(() => {
		clock.advance(10_000);
		return service.polls.length > before403;
	}, 'a poll that is refused');
	await reads('', /the service answered 403 forbidden; no poll before/);
	const { length: polls } = service.polls;
	await press('Ask again now', 'The delivery service is asked again.');
	await until(() => service.polls.length > polls, 'one more poll');
});

it('says on each page that this is a rehearsal, and at what time', async () => {
	const sandbox = await startStrictSandbox();
	later(() => sandbox.close());
	await sandbox.control('PUT /clock', { now: '2031-02-03T04:05:06Z', frozen: true });
	const { baseUrl, apiToken, caCertificate } = serviceCredential(sandbox, 'direct');
	const receiver = await start({
		env: {
			CLOCK: 'service',
			SERVICE_URL: baseUrl,
			SERVICE_TOKEN: apiToken,
			SERVICE_CA: caCertificate,
		},
	});
	const page = await browser.newPage();
	later(() => page.close());
	await logIn(page, receiver.url);
	for (const name of ['Overview', 'Letters', 'Events']) {
		await page.getByRole('link', { name, exact: true }).click();
		await page.getByText(/Rehearsal: .* 2031-02-03 04:05:06 UTC/).waitFor();
	}
	expect(await barriers(page)).toEqual([]);
});
