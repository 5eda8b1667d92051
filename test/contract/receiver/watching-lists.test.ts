// Consents and customers, watched over HTTPS at the sandbox and, for what a sandbox does not do, at a
// service that does; on both stores, with a clock moved by hand.
import { randomUUID } from 'node:crypto';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { eventSchema } from '../../../webhook-receiver/src/core/event-contract.ts';
import { registeredWaitSchema } from '../../../webhook-receiver/src/core/wait-contract.ts';
import { sandboxState, serviceVariables, startStrictSandbox } from '../../support/sandbox.ts';
import {
	KEY,
	ManualClock,
	cleanUp,
	consume,
	later,
	start,
	temporaryFolder,
	until,
	waitForConsents,
} from './harness.ts';
import { HTTP_STORES } from './store-environment.ts';
import { poster } from './watching/poster.ts';
import { pollService } from './watching/service.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WAIT = 'wait-0000-0000-0001';
const LISTED = { events: ['consent.accepted', 'consent.refused', 'customer.revoked'] };

type Receiver = Awaited<ReturnType<typeof start>>;

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, 'a')}`;
const entry = (n: number, state = 'PENDING', more: object = {}) => ({
	id: idOf(n),
	state,
	email: `contact-${n}@contacts.example`,
	sender: null,
	createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
	...more,
});

describe.each(HTTP_STORES)('$name', (kind) => {
	let clock: ManualClock;
	let env: Record<string, string>;
	let folder: string;

	beforeEach(async () => {
		clock = new ManualClock();
		env = { ...(await kind.environment()), WATCH_RATE_LIMIT: '60000' };
		folder = temporaryFolder();
	});

	/** It has looked for what is wanted: who comes before that is found twice, and so are the lists. */
	const open = async (service: Record<string, string>) => {
		const receiver = await start({ folder, env: { ...env, ...service }, dependencies: { clock } });
		await receiver.atRest();
		return receiver;
	};

	/** Lets time pass until all that is due by then was asked for: each poll has its time slot. */
	const pass = async (receiver: Receiver, milliseconds = 0) => {
		clock.advance(milliseconds);
		for (let asked = ''; ; ) {
			clock.advance(50);
			await receiver.atRest();
			const polls =
				(await receiver.metrics()).match(/^receiver_watch_polls_total.*$/gm)?.join() ?? '';
			if (polls === asked) return;
			asked = polls;
		}
	};
	const listEvents = async (receiver: Receiver) =>
		(await receiver.events())
			.reverse()
			// The days that pass here are long for whoever pulls.
			.filter(({ type }) => type !== 'receiver.attention')
			.map(({ type, consentId, customerId }) => [type, consentId ?? customerId]);
	const put = (receiver: Receiver, ids: string[]) =>
		receiver.manage('PUT', `/waits/${WAIT}`, waitForConsents(clock, ids, 30 * DAY));
	const waitOf = async ({ manage }: Receiver) => (await manage('GET', `/waits/${WAIT}`)).body;

	describe('at the sandbox', () => {
		let sandbox: Sandbox;
		beforeEach(async () => {
			sandbox = await startStrictSandbox({ automatic: true });
			later(() => sandbox.close());
		});

		const asAccount = (account: string) => ({
			post: poster(sandbox, account),
			service: serviceVariables(sandbox, account),
		});
		const answer = (id: string, how: 'accept' | 'refuse') =>
			sandbox.control('POST /consents/{id}/{answer}', { id, answer: how });

		it('[CONS-07][CUST-04][CUST-08] each change makes one event, what was so before makes none', async () => {
			const { post, service } = asAccount('reseller');
			const [a, b, c] = await post.ask(['a', 'b', 'c'].map((name) => `${name}@contacts.example`));
			await answer(a, 'accept');
			const { customers } = await sandboxState(sandbox);
			const [lune, soleil] = customers.map(({ id }) => id);
			const receiver = await open(service);
			await consume(receiver, { wants: { events: ['*'] } });
			await pass(receiver);
			expect(await listEvents(receiver)).toEqual([]);

			await answer(b, 'accept');
			await answer(c, 'refuse');
			await sandbox.control('POST /customers/{id}/{answer}', { id: lune, answer: 'revoke' });
			await sandbox.control('POST /customers/{id}/{answer}', { id: soleil, answer: 'accept' });
			const [d] = await post.ask(['d@contacts.example'], { type: 'MANUAL', state: 'ACCEPTED' });
			await pass(receiver, 2 * MINUTE);
			await pass(receiver, 2 * MINUTE);
			await sandbox.control('POST /customers/{id}/{answer}', { id: soleil, answer: 'cancel' });
			await pass(receiver, 2 * MINUTE);
			await pass(receiver, 2 * DAY);
			expect((await listEvents(receiver)).sort()).toEqual(
				[
					['consent.accepted', b],
					['consent.accepted', d],
					['consent.refused', c],
					['customer.accepted', soleil],
					['customer.cancelled', soleil],
					['customer.revoked', lune],
				].sort(),
			);
			const events = (await receiver.events()).map((event) => eventSchema.strict().parse(event));
			const accepted = events.find(({ consentId }) => consentId === b);
			expect(accepted).toMatchObject({
				status: 'ACCEPTED',
				terminal: true,
				sourceType: 'status',
				messageId: null,
				messageType: null,
				occurredAt: null,
				raw: { id: b, email: 'b@contacts.example', firstName: 'Anna', type: 'EMAIL' },
			});
			const revoked = events.find(({ type }) => type === 'customer.revoked');
			expect(revoked).toMatchObject({ raw: { name: 'Boulangerie Lune' }, terminal: true });
			expect(JSON.stringify(events)).not.toMatch(/delegationToken|consentUrl/);
			// Found by the time in their ids, whatever told of them.
			for (const { id } of events) {
				const { status } = await receiver.manage('POST', `/events/${id}/replay`);
				expect(status).toBe(202);
			}
		});

		it('[CONS-07] a wait gets the present state at once, and what is answered later', async () => {
			const { post, service } = asAccount('direct');
			const [a, b] = await post.ask(['a@contacts.example', 'b@contacts.example']);
			await answer(a, 'accept');
			const receiver = await open(service);
			const registered = registeredWaitSchema.parse((await put(receiver, [a, b])).body);
			expect(registered).toMatchObject({ watching: true, state: 'open' });
			const found = await receiver.manage('GET', `/waits?consent=${b.toUpperCase()}`);
			expect(found.body.data).toMatchObject([{ waitId: registered.waitId }]);
			const none = await receiver.manage('GET', `/waits?consent=${randomUUID()}`);
			expect(none.body.data).toEqual([]);
			await pass(receiver);
			expect(await waitOf(receiver)).toMatchObject({
				state: 'open',
				outcomes: [
					{ id: a, outcome: 'accepted', status: 'ACCEPTED', occurredAt: null, eventId: null },
					{ id: b, outcome: 'none', status: 'PENDING', event: null },
				],
			});
			await answer(b, 'refuse');
			await pass(receiver, 2 * MINUTE);
			const [event] = await receiver.events();
			expect(await waitOf(receiver)).toMatchObject({
				state: 'queued',
				outcomes: [
					{ id: a, outcome: 'accepted', event: 'consent.accepted' },
					{ id: b, outcome: 'refused', event: 'consent.refused', eventId: event.id },
				],
			});
			// The answers are known: the next one need not wait for a poll.
			await put(receiver, [a, b]);
			await until(async () => (await waitOf(receiver)).state === 'queued', 'it is ready');
			const { wakeUps } = await receiver.pulled({ wants: null }, { key: 'n8n~process' });
			expect(wakeUps).toMatchObject([
				{ resume: { reason: 'complete', outcomes: [{ id: a }, { id: b, outcome: 'refused' }] } },
			]);
		});
	});

	it('a change while it was away is one event, after a restart as with another receiver beside it', async () => {
		const service = await pollService(clock.now);
		service.lists.consents = [entry(1), entry(2), entry(3)];
		const first = await open(service.env());
		await consume(first, { wants: LISTED });
		await pass(first);
		await first.close();
		service.lists.consents[0].state = 'ACCEPTED';
		const second = await open(service.env());
		await pass(second, 2 * MINUTE);
		expect(await listEvents(second)).toEqual([['consent.accepted', idOf(1)]]);
		if (kind.name === 'SQLite') return;
		const third = await open(service.env());
		service.lists.consents[1].state = 'REFUSED';
		for (let n = 0; n < 5; n++) {
			await pass(second, 2 * MINUTE);
			await pass(third, 2 * MINUTE);
		}
		expect(await listEvents(third)).toEqual([
			['consent.accepted', idOf(1)],
			['consent.refused', idOf(2)],
		]);
	});

	it('nothing comes of what was erased, nor of a change while nobody wanted the list', async () => {
		const service = await pollService(clock.now);
		service.lists.consents = [entry(1), entry(2), entry(3)];
		const receiver = await open(service.env());
		const pulls = () => receiver.pulled({ wants: LISTED });
		await pulls();
		await pass(receiver);
		await receiver.manage('DELETE', `/consents/${idOf(1)}`);
		await pass(receiver, 2 * MINUTE);
		await receiver.manage('DELETE', `/consumers/${KEY}`);
		await pass(receiver, HOUR);
		service.lists.consents[2].state = 'REFUSED';
		await pulls();
		await pass(receiver, MINUTE);
		for (const n of [0, 1]) service.lists.consents[n].state = 'ACCEPTED';
		await pass(receiver, 2 * MINUTE);
		expect(await listEvents(receiver)).toEqual([['consent.accepted', idOf(2)]]);
	});

	it('reads all pages of a long list', async () => {
		const service = await pollService(clock.now);
		service.pageSize = 10;
		service.lists.consents = Array.from({ length: 95 }, (_, n) => entry(n));
		const receiver = await open(service.env());
		await consume(receiver, { wants: LISTED });
		await pass(receiver);
		expect(service.pages.filter((path) => path.startsWith('/consents'))).toHaveLength(10);
		for (const n of [13, 94]) service.lists.consents[n].state = 'ACCEPTED';
		await pass(receiver, 2 * MINUTE);
		expect((await listEvents(receiver)).sort()).toEqual([
			['consent.accepted', idOf(13)],
			['consent.accepted', idOf(94)],
		]);
	});
});
