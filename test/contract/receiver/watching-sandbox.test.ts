// Watching against the sandbox: its TLS, its client certificates, its letters, its clock.
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { serviceVariables, startStrictSandbox } from '../../support/sandbox.ts';
import { INGEST_SECRET, ManualClock, cleanUp, later, start, until } from './harness.ts';
import { poster } from './watching/poster.ts';

const DAY = 24 * 3_600_000;

afterEach(cleanUp);

/** By the recipient's address: the outcome of an LRE, an LS and an AES in 90 days. */
const OUTCOMES = {
	LRE: {
		accept: 'sent accepted',
		refuse: 'sent refused',
		never: 'sent expired',
		bounce: 'sent undelivered',
	},
	LS: { open: 'sent received', never: 'sent expired', bounce: 'sent undelivered' },
	AES: {
		open: 'sent received opened',
		never: 'sent received expired',
		'bounce-then-receive': 'sent undelivered received expired',
	},
} as const;

it.each([
	['with webhooks', true],
	['without', false],
])(
	'follows letters of every type to their end, %s',
	async (_, hasWebhooks) => {
		// The sandbox starts at the current time.
		const clock = new ManualClock();
		clock.advance(Date.now() - clock.now());
		const sandbox = await startStrictSandbox({
			automatic: true,
			deliveryDelayMs: 2 * DAY,
			openDelayMs: 5 * DAY,
		});
		later(() => sandbox.close());
		const env = {
			...serviceVariables(sandbox, 'direct'),
			WATCH_DELAYS: '0s:16h',
			WATCH_RATE_LIMIT: '60000',
			RETENTION: '365d',
		};
		const receiver = await start({ env, dependencies: { clock } });
		if (hasWebhooks) {
			const webhooks = [{ url: `${receiver.url}/events`, secret: INGEST_SECRET }];
			await sandbox.control('PUT /webhooks', { webhooks });
		}
		const post = poster(sandbox);
		const expected = new Map<string, string>();
		for (const [type, byAddress] of Object.entries(OUTCOMES)) {
			for (const [address, outcome] of Object.entries(byAddress)) {
				const recipient = { email: `${address}@recipient.example`, firstname: 'A', lastname: 'B' };
				const id = await post.send({ type, body: '<p>Hello</p>', recipients: [recipient] });
				expected.set(id, outcome);
				await receiver.manage('PUT', `/watches/${id}`, { messageType: type });
			}
		}

		for (let day = 0; day < 90; day++) {
			clock.advance(DAY);
			await sandbox.control.advance(DAY);
			await until(async () => {
				// Due polls start, each in its own time slot.
				clock.advance(50);
				return (await overdue(receiver, clock)) === 0;
			}, 'all that is due was polled');
		}
		await receiver.atRest();
		const { body } = await receiver.manage('GET', '/events?limit=500');
		const found = new Map<string, string>();
		for (const { messageId, type } of (body.data as DeliveryEvent[]).reverse()) {
			const id = messageId ?? '';
			found.set(id, `${found.get(id) ?? ''} ${type.split('.')[1]}`.trim());
		}
		const sorted = (all: Map<string, string>) =>
			[...all].map(([id, outcome]) => [id, outcome.split(' ').sort().join(' ')]).sort();
		expect(sorted(found)).toEqual(sorted(expected));
		const byWebhook = (body.data as DeliveryEvent[]).filter(
			({ sourceType }) => sourceType !== 'status',
		);
		expect(byWebhook.length > 0).toBe(hasWebhooks);
		for (const { id } of body.data as DeliveryEvent[]) {
			expect((await receiver.manage('POST', `/events/${id}/replay`)).status).toBe(202);
		}
	},
	180_000,
);

/** How many watches should have been polled by now. */
async function overdue(receiver: Awaited<ReturnType<typeof start>>, clock: ManualClock) {
	const { body } = await receiver.manage('GET', '/watches?limit=500');
	const watches = body.data as Array<{ nextPollAt: string | null; polledAt: string | null }>;
	return watches.filter(({ nextPollAt, polledAt }) => {
		if (nextPollAt === null) return false;
		// While a poll is in progress it is still due.
		const isDue = Date.parse(nextPollAt) - clock.now() < 10 * 60_000;
		return isDue && Date.parse(polledAt ?? '2000-01-01') < clock.now() - 10 * 60_000;
	}).length;
}
