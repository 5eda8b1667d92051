// What an operator reads on the page, and what its buttons say they did; the browser suite looks at it.
import type { BatchSettlement } from '../../../webhook-receiver/src/core/pull-contract.ts';
import { KEY, ManualClock, TOKEN, cleanUp, start, until } from './harness.ts';

afterEach(cleanUp);

const FORM = 'application/x-www-form-urlencoded';

/** A receiver with somebody logged in. */
async function operated() {
	const clock = new ManualClock();
	const receiver = await start({ dependencies: { clock } });
	const send = (path: string, fields: Record<string, string>, cookie = '') =>
		fetch(`${receiver.url}${path}`, {
			...{ method: 'POST', redirect: 'manual', headers: { 'content-type': FORM, cookie } },
			body: new URLSearchParams(fields),
		});
	const login = await send('/page/login', { token: TOKEN });
	const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
	const get = async (path: string, more = '') => {
		const answer = await fetch(`${receiver.url}${path}`, {
			...{ redirect: 'manual', headers: { cookie: `${cookie}; ${more}` } },
		});
		const markup = await answer.text();
		const text = markup
			.replace(/<[^>]*>/g, ' ')
			.replace(/\s+/g, ' ')
			.replaceAll('&quot;', '"');
		return { status: answer.status, headers: answer.headers, markup, text };
	};
	/** Presses a button of a page, and reads the page it leads to. */
	const press = async (page: string, action: string) => {
		const { markup } = await get(page);
		expect(markup).toContain(`action="${action}"`);
		const hidden = [...markup.matchAll(/name="(form|from)" value="([^"]*)"/g)].slice(0, 2);
		const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]));
		const answer = await send(action, fields, cookie);
		expect(answer.status).toBe(303);
		const said = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
		return {
			to: answer.headers.get('location'),
			...(await get(answer.headers.get('location') ?? '', said)),
		};
	};
	/** Lets n8n refuse so many events for good. */
	const refuse = async (count: number, more: object = {}) => {
		await receiver.pull(more);
		await receiver.emit(
			Array.from({ length: count }, (_, n) => ({ event: 'aes_sent', messageId: n + 1 })),
		);
		const { batches } = await receiver.pulled({ atOnce: 100, ...more });
		const settle = batches.map(({ id }, n) => ({
			...{ batch: id, outcome: 'term' as const, reason: `reason ${n + 1}` },
		}));
		await receiver.pulled({ settle, atOnce: 0, ...more });
	};
	return { clock, receiver, get, press, refuse, send, cookie };
}

const NAMED = { name: 'Invoices', node: 'Trigger', url: 'https://n8n.example/workflow/1' };

it('calls each workflow by its name, never by its key, and leads to it in n8n', async () => {
	const { receiver, get } = await operated();
	await receiver.pull(NAMED);
	await receiver.pull({}, { key: 'n8n~nameless' });
	const { markup } = await get('/');
	expect(markup).toMatch(/<h3>\s*<a href="[^"]*">Invoices<\/a>/);
	expect(markup).toMatch(/<h3>\s*<a href="[^"]*">A workflow without a name<\/a>/);
	const one = await get(`/page/workflows/${KEY}`);
	expect(one.markup).toContain('<h1>Invoices</h1>');
	expect(one.markup).toContain('<a href="https://n8n.example/workflow/1" rel="noreferrer">');
	expect((await get('/page/workflows/n8n~nameless')).markup).toContain(
		'<h1>A workflow without a name</h1>',
	);
	expect((await get('/page/workflows/none')).status).toBe(404);
});

it('has older events behind a page that large ones fill', async () => {
	const { receiver, get } = await operated();
	const text = 'x'.repeat(900_000);
	for (let messageId = 1; messageId <= 6; messageId++) {
		await receiver.emit([{ event: 'aes_sent', messageId, text }]);
	}
	const newest = await get('/page/events');
	const older = /href="(\/page\/events\?before=\d+)"[^>]*>\s*Older/.exec(newest.markup)?.[1] ?? '';
	expect(newest.text).toContain('000000000006');
	expect(newest.text).not.toContain('000000000001');
	const rest = await get(older);
	expect(rest.text).toContain('000000000001');
	expect(rest.markup).not.toContain('Older');
});

it.each([
	['large', 6, 'x'.repeat(900_000)],
	['many', 201, ''],
])('says of a letter with %s events that there are more, and where', async (_, count, text) => {
	const { receiver, get } = await operated();
	for (let n = 1; n <= count; n += 50) {
		const some = Array.from({ length: Math.min(50, count - n + 1) }, (_, m) => n + m);
		const all = some.map((k) => ({ event: `aes_new_${k}`, messageId: 1, n: k, text }));
		if (text === '') await receiver.emit(all);
		else for (const one of all) await receiver.emit(one);
	}
	const search = await get('/page/search?message=1');
	const first = await get('/messages/000000000001');
	const next = /href="(\/messages\/000000000001\?after=\d+)"[^>]*>\s*Next/.exec(first.markup)?.[1];
	for (const { markup, text: shown } of [search, first]) {
		expect(shown).toContain('aes_new_1 ');
		expect(shown).not.toContain(`aes_new_${count} `);
		expect(shown).toContain('More events of this message are on other pages.');
		expect(markup).toContain(`href="${next}"`);
	}
	const rest = await get(next ?? '');
	expect(rest.text).toContain(`aes_new_${count} `);
	expect(rest.text).not.toContain('aes_new_1 ');
	expect(rest.markup).not.toMatch(/>\s*Next\s*</);
	expect(rest.markup).toMatch(/href="\/messages\/000000000001"[^>]*>\s*Oldest/);
	await receiver.emit({ event: 'aes_sent', messageId: 2 });
	expect((await get('/messages/000000000002')).text).not.toContain('other pages');
});

it('has the older deliveries of a letter on pages of their own, its events where they were', async () => {
	const { receiver, get } = await operated();
	const wants = { events: ['*'], batchSize: 1 };
	await receiver.pull({ wants });
	for (const count of [100, 101])
		await receiver.emit(
			Array.from({ length: count }, (_, n) => ({
				event: 'aes_opened',
				messageId: 1,
				id: [count, n],
			})),
		);
	const ids: string[] = [];
	for (let settle: BatchSettlement[] = []; ; ) {
		const { batches } = await receiver.pulled({ wants, settle });
		if (batches.length === 0) break;
		ids.push(...batches.map(({ id }) => id));
		settle = batches.map(({ id }) => ({ batch: id, outcome: 'ack' }));
	}
	expect(ids).toHaveLength(201);
	const shown = async (path: string) => {
		const { markup } = await get(path);
		const buttons = [...markup.matchAll(/deliveries\/([^/"]+)\/retry/g)].map(([, id]) => id);
		const link = (text: string) => new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(markup)?.[1];
		return { buttons, older: link('Older'), newest: link('Newest'), next: link('Next') };
	};
	const first = await shown('/messages/000000000001');
	expect(first.buttons).toEqual(ids.slice(1).reverse());
	const rest = await shown(first.older ?? '');
	expect(rest).toMatchObject({ buttons: ids.slice(0, 1), older: undefined });
	expect(rest.newest).toBe('/messages/000000000001');
	// Each list goes on by itself.
	const events = await shown(rest.next?.replaceAll('&amp;', '&') ?? '');
	expect(events).toMatchObject({ buttons: ids.slice(0, 1), next: undefined });
	expect(await shown(events.newest ?? '')).toMatchObject({
		buttons: first.buttons,
		next: undefined,
	});
});

it('shows what a name brings along, and obeys none of it', async () => {
	const { receiver, get } = await operated();
	await receiver.pull({ ...NAMED, name: '<b>In\u0000vo\u202eices\u0007' });
	const { markup } = await get('/');
	// What PostgreSQL can't store was replaced as it came in.
	expect(markup).toContain('&lt;b&gt;In\ufffdvo\\u202eices\\u0007');
});

it.each([
	['a script', { url: 'javascript:alert(1)' }],
	['a file', { url: 'file:///etc/passwd' }],
	['no URL', { url: 'n8n' }],
	['a URL without end', { url: `https://n8n.example/${'a'.repeat(600)}` }],
	['a name without end', { name: 'a'.repeat(301) }],
	['a node without end', { node: 'a'.repeat(301) }],
])('refuses a pull that names its workflow with %s', async (_, wrong) => {
	const { receiver } = await operated();
	expect((await receiver.pull({ ...NAMED, ...wrong })).status).toBe(422);
	expect(await receiver.consumers()).toEqual([]);
});

it('says what is held back and why', async () => {
	const { clock, receiver, get } = await operated();
	await receiver.pull(NAMED);
	await receiver.emit([
		{ id: '1', event: 'aes_sent', messageId: 1 },
		{ id: '2', event: 'aes_opened', messageId: 1 },
		{ id: '3', event: 'aes_sent', messageId: 2 },
		{ id: '4', event: 'aes_sent', messageId: 3 },
	]);
	const { batches } = await receiver.pulled({ ...NAMED, atOnce: 2 });
	clock.advance(5_000);
	const busy = await get('/');
	expect(busy.text).toContain('n8n has 2 deliveries in hand. 1 delivery waits for a retry');
	expect(busy.text).toContain(
		'Up to 1 event comes after that, wanted or not. The oldest came 5 s ago.',
	);
	await receiver.pulled({
		...{ ...NAMED, atOnce: 0 },
		settle: [{ batch: batches[0].id, outcome: 'nak', reason: 'no room in n8n' }],
	});
	const waiting = await get(`/page/workflows/${KEY}`);
	expect(waiting.text).toContain('again at 2026-01-31 09:30:06: no room in n8n');
	expect(waiting.text).toContain(
		'n8n has it; without a word it goes out again at 2026-01-31 09:31:00',
	);
	expect(waiting.text).toContain('waits for an earlier one of the same letter');
	await receiver.pull({ ...NAMED, leaving: true });
	clock.advance(7_200_000);
	expect((await get('/')).text).toContain('away since 2026-01-31 09:30:05 UTC, for 2 h');
});

it('lists dead deliveries oldest first with their reason, page by page, and hands them out again', async () => {
	const { get, press, refuse } = await operated();
	await refuse(30, NAMED);
	const first = await get('/page/deliveries?state=dead');
	const reasons = [...first.text.matchAll(/reason (\d+)/g)].map(([, number]) => Number(number));
	expect(reasons).toEqual(Array.from({ length: 25 }, (_, n) => n + 1));
	const [, next] = /href="([^"]*after=\d+)"/.exec(first.markup) ?? [];
	const second = await get(next.replace('&amp;', '&'));
	expect(second.text.match(/reason \d+/g)).toHaveLength(5);
	expect(second.text).toContain('Oldest');

	const [, one] = /action="(\/page\/deliveries\/[^"]+\/retry)"/.exec(first.markup) ?? [];
	const again = await press('/page/deliveries?state=dead', one);
	expect(again.to).toBe('/page/deliveries?state=dead');
	expect(again.text).toContain('The delivery goes out again, as number 31.');
	expect(again.headers.get('set-cookie')).toMatch(/receiver_flash=;/);
	const all = await press('/page/deliveries?state=dead', '/page/deliveries/retry-dead');
	expect(all.text).toContain('29 deliveries go out again.');
	expect((await get('/page/deliveries?state=dead')).text).toContain('None.');
});

it('says so when nothing could be handed out again', async () => {
	const { receiver, press, refuse, send, cookie } = await operated();
	await refuse(1, NAMED);
	const [{ id }] = await receiver.deliveries('dead');
	const action = `/page/deliveries/${id}/retry`;
	const { markup } = await press('/page/deliveries', action);
	const form = /name="form" value="([^"]+)"/.exec(markup)?.[1] ?? '';
	const late = await send(action, { form, from: '//elsewhere.example/' }, cookie);
	expect(late.headers.get('location')).toBe('/');
	expect(decodeURIComponent(late.headers.get('set-cookie') ?? '')).toContain(
		'Nothing was handed out',
	);
	const gone = await send('/page/events/evt_none/replay', { form, from: '/page/events' }, cookie);
	expect(decodeURIComponent(gone.headers.get('set-cookie') ?? '')).toContain('That event is gone');
	expect(gone.headers.get('location')).toBe('/page/events');
});

it('finds a letter as people type it, and shows its events, deliveries and waits', async () => {
	const { receiver, get, refuse } = await operated();
	await refuse(3, NAMED);
	await receiver.manage('PUT', '/waits/wait-of-the-second-letter', {
		...{ instance: 'n8n', resumeUrl: 'https://n8n.example/wait/7?signature=secret' },
		...{ secret: 's'.repeat(40), messages: [{ messageId: '000000000002' }] },
		deadline: '2026-02-28T00:00:00Z',
	});
	const found = await get('/page/search?message=+0000+2');
	expect(found.markup).toContain('<h1>Message 000000000002</h1>');
	expect(found.text).toMatch(/tracked_mail\.sent SENT/);
	expect(found.text).toMatch(/Invoices 000000000002 dead 1 reason 2/);
	expect(found.text).toContain('waits for outcomes');
	expect(found.text).toContain('https://n8n.example/wait/7');
	expect(found.markup).not.toContain('signature=secret');
	expect((await get('/page/search?message=2026-01')).text).toContain(
		'A message id has up to 12 digits',
	);
	expect((await get('/messages/000000000099')).text).toContain(
		'No event of this message is on record',
	);
	expect(found.text).not.toContain('Erased');
	await receiver.manage('DELETE', '/messages/000000000002');
	expect((await get('/messages/000000000002')).text).toMatch(
		/Erased This letter was erased on request\. What comes of it until \d{4}-\d\d-\d\d/,
	);
});

it('pages through events by their number', async () => {
	const { receiver, get } = await operated();
	await receiver.emit(
		Array.from({ length: 60 }, (_, n) => ({ event: 'aes_sent', messageId: n + 1 })),
	);
	const seen: string[] = [];
	for (let path = '/page/events'; path !== ''; ) {
		const { markup } = await get(path);
		seen.push(...[...markup.matchAll(/href="\/messages\/(\d+)"/g)].map(([, id]) => id));
		path = /href="(\/page\/events\?before=\d+)"/.exec(markup)?.[1] ?? '';
	}
	expect(seen.map(Number)).toEqual(Array.from({ length: 60 }, (_, n) => 60 - n));
});

it('forgets a workflow that is away, and says what it will not get', async () => {
	const { receiver, get, press, refuse, send, cookie } = await operated();
	await refuse(2, NAMED);
	const path = `/page/workflows/${KEY}`;
	const held = await get(path);
	expect(held.text).not.toContain('Forget this workflow');
	const form = /name="form" value="([^"]+)"/.exec(held.markup)?.[1] ?? '';
	await send(`${path}/forget`, { form }, cookie);
	expect(await receiver.consumers()).toHaveLength(1);

	await receiver.pull({ ...NAMED, leaving: true });
	const forgotten = await press(path, `${path}/forget`);
	expect(forgotten.text).toContain('Invoices is forgotten.');
	expect(await receiver.consumers()).toEqual([]);
	expect((await get('/page/attention')).text).toContain(
		'The workflow "Invoices" lost 2 deliveries: an operator had the receiver forget it.',
	);
});

it('shows what needs somebody until it is over, and that it was', async () => {
	const { clock, receiver, get, refuse } = await operated();
	await refuse(1, NAMED);
	clock.advance(120_000);
	const words = 'The workflow "Invoices" could not be started for one delivery';
	await until(async () => (await get('/')).text.includes(words), 'it is told');
	await receiver.manage('POST', '/deliveries/retry?state=dead');
	await until(async () => {
		clock.advance(60_000);
		return !(await get('/')).text.includes('Needs attention');
	}, 'it is over');
	expect((await get('/page/attention')).text).toMatch(/All is well\. .*over since 2026-01-31 09:3/);
});
