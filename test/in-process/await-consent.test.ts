// Await Consent with a receiver that watches the service.
import { later, start as startReceiver, until } from '../contract/receiver/harness.ts';
import { startProxy } from '../support/proxy.ts';
import {
	answer,
	ask,
	asleep,
	awaitConsentBy,
	brief,
	consentsOf,
	contacts,
	credentials,
	days,
	endWaits,
	mailsTo,
	n8n,
	receiver,
	run,
	sandbox,
} from './awaiting-consent.ts';
import { errorOf, goneOn as ended, isAsleep, left } from './sleeping-n8n.ts';

awaitConsentBy('receiver', 1000);

describe('reminders at a receiver', () => {
	it('[CONS-08][N] a wake-up that comes again, and at the same time, reminds nobody twice', async () => {
		const [ada] = contacts('ada');
		const options = { remindAfterDays: days(3) };
		const bodies: object[] = [];
		const execution = await asleep({ items: [ada], parameters: { options } });
		n8n.instead = (request, response) => {
			// Not what looks whether n8n is there.
			if (request.path.endsWith('/registered-delivery')) bodies.push(request.body as object);
			response.status(503).end();
		};
		await until(() => bodies.length > 0, 'a wake-up');
		n8n.instead = null;
		const answers = await Promise.all(
			[1, 2, 3].map(async () => await n8n.post(execution, bodies[0])),
		);
		expect(answers).toContainEqual({ status: 200, body: { wakeUp: 'resumed' } });
		await until(() => execution.resumed === 1 && isAsleep(execution), 'it to sleep on');
		const over = { status: 410, body: { wakeUp: 'over' } };
		expect(await n8n.post(execution, bodies[0])).toEqual(over);
		expect(await mailsTo(ada)).toHaveLength(2);
		await answer(ada, 'accept');
		await ended(execution);
		expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
	});

	it('a page in place of the receiver ends no wait: the answer still counts', async () => {
		let waits = 0;
		const proxy = await startProxy({
			targets: () => [receiver.url],
			isPage: ({ method, path }) => method === 'PUT' && path.startsWith('/waits/') && ++waits === 2,
		});
		later(() => proxy.close());
		const [ada] = contacts('ada');
		const parameters = { options: { remindAfterDays: days(3) } };
		const behind = credentials({ receiverUrl: proxy.url });
		const execution = await asleep({ items: [ada], parameters, credentials: behind });
		await until(() => waits > 1, 'the page');
		await answer(ada, 'accept');
		await ended(execution);
		expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
		await endWaits();
		// Once when it was woken for the reminder, and once at the end.
		const leaving = () => proxy.passed.filter(({ body }) => body.includes('"leaving":true')).length;
		await until(() => leaving() === 2, 'nobody to ask behind the proxy');
	});

	it('one that fails again and again puts off no deadline', async () => {
		const proxy = await startProxy({ targets: () => [receiver.url] });
		later(() => proxy.close());
		const fault = { kind: 'status', status: 429, retryAfter: 600 } as const;
		await sandbox.control('POST /faults', {
			faults: [{ method: 'POST', path: '/consents/*/remind', times: null, fault }],
		});
		const parameters = {
			options: { remindAfterDays: days(1) },
			deadlineAmount: 8 / 60,
			deadlineUnit: 'minutes',
		};
		const behind = credentials({ receiverUrl: proxy.url });
		const execution = await asleep({ items: contacts('ada'), parameters, credentials: behind });
		await ended(execution);
		expect(brief(execution)).toEqual([['No Answer', 'ada', 'none', 0]]);
		const waits = proxy.passed.filter(({ path }) => path.startsWith('/waits/'));
		const ends = waits.map(({ body }) => (JSON.parse(body) as { deadline: string }).deadline);
		expect(ends.length).toBeGreaterThan(2);
		expect(ends.toSorted().at(-1)).toBe(ends.at(-1));
		await sandbox.control('DELETE /faults');
	});

	it.each<[Record<string, string | number>, RegExp]>([
		[{ remindAfterDays: 0 }, /^Remind After \(Days\): It is 0; a number above 0 is required/],
		[{ remindAfterDays: '={{ $json.nope }}' }, /^Remind After \(Days\): It is empty for this item/],
		[{ remindAfterDays: 1, reminders: 11 }, /^Reminders: It is 11; the maximum is 10/],
		[{ reminders: 0.5 }, /^Reminders: It is 0\.5; a whole number of 1 or more/],
	])('%j is said, and nobody is asked', async (options, words) => {
		const items = contacts('ada');
		expect(errorOf(await run({ items, parameters: { options } }))?.message).toMatch(words);
		expect(await consentsOf(items[0])).toEqual([]);
	});
});

describe('what goes wrong', () => {
	it('a receiver that is away: nobody is asked', async () => {
		const items = contacts('ada');
		const away = credentials({ receiverUrl: 'http://127.0.0.1:9' });
		const execution = await run({ items, credentials: away });
		expect(errorOf(execution)).toMatchObject({
			message: 'The webhook receiver cannot be reached',
			description: expect.stringMatching(/^Nobody was asked, .*ECONNREFUSED\./),
		});
		expect(await consentsOf(items[0])).toEqual([]);
	});

	it('a receiver that does not watch: it does not sleep; set right, it asks nobody twice', async () => {
		const items = contacts('ada');
		const unaware = await startReceiver();
		const blind = credentials({ receiverUrl: unaware.url });
		const execution = await run({ items, credentials: blind, retryOnFail: true });
		expect(errorOf(execution)?.message).toMatch(/does not watch consents/);
		expect(await mailsTo(items[0])).toHaveLength(1);
		await asleep({ items });
		expect(await mailsTo(items[0])).toHaveLength(1);
	});

	it('an item that is wrong leaves by No Answer with its error, the others are awaited', async () => {
		const [ada] = contacts('ada');
		const items = [{ json: { name: 'wrong', email: 'no address' } }, ada];
		const execution = await asleep({ items, onError: 'continueRegularOutput' });
		await answer(ada, 'accept');
		await ended(execution);
		expect(brief(execution)).toEqual([
			['Accepted', 'ada', 'accepted', 1],
			['No Answer', undefined, undefined, 0],
		]);
		expect(left(execution)[1][1].json.error).toMatch(/"no address", which is not an email address/);
	});

	it('past the deadline nobody is asked; who has consented is accepted all the same', async () => {
		const items = contacts('ada', 'ben');
		await ask(items[1], 'MANUAL', { state: 'ACCEPTED' });
		const parameters = { deadlineMode: 'at', deadlineAt: '2020-01-31T09:30:00' };
		const execution = await run({ items, parameters });
		expect(brief(execution)).toEqual([
			['Accepted', 'ben', 'accepted', 1],
			['No Answer', 'ada', 'none', 0],
		]);
		const together = await run({
			items,
			parameters: { ...parameters, options: { routeItems: 'all' } },
		});
		expect(brief(together)).toEqual([
			['No Answer', 'ada', 'none', 0],
			['No Answer', 'ben', 'accepted', 1],
		]);
		expect(await consentsOf(items[0])).toEqual([]);
	});

	it('several contacts for one item are too many', async () => {
		const two = contacts('ada', 'ben').map(({ json }) => json);
		const parameters = { recipientsFrom: 'json', recipientsJson: JSON.stringify(two) };
		const execution = await run({ parameters, items: [{}] });
		expect(errorOf(execution)?.message).toMatch(/Each item waits for one contact; there are 2/);
	});

	it('a thousand and one contacts are too many, and nobody is asked', async () => {
		const items = contacts(...Array.from({ length: 1001 }, () => 'reader'));
		const execution = await run({ items });
		expect(errorOf(execution)?.message).toMatch(/There are 1001 contacts to wait for/);
		expect(await consentsOf(items[0])).toEqual([]);
	});
});
