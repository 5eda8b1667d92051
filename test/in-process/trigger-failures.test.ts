// A trigger that pulls from a receiver that is away, unwell, or not one at all.

import type * as Pauses from '../support/short-pauses.ts';
import type { Fate } from '../support/wire.ts';
import { until } from '../contract/receiver/harness.ts';
import { eventOf } from './pulled-receiver.ts';
import {
	another,
	drained,
	isHeld,
	letters,
	n8n,
	NEW_TOKEN,
	publish,
	receiver,
	replaceToken,
	started,
	tries,
	usePulling,
} from './pulling.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

usePulling();

describe('a receiver', () => {
	const fail = async (fate: Fate) => {
		const before = n8n.wire.requests.length;
		n8n.wire.fate = () => fate;
		// The pull that is held gets through with this one.
		await receiver.serviceSends(eventOf(1));
		await until(() => n8n.wire.requests.length > before + 3, 'some tries');
		await receiver.serviceSends(eventOf(2));
		n8n.wire.fate = () => undefined;
		await started(2);
		expect(letters()).toEqual([1, 2]);
		expect(n8n.errors).toEqual([]);
		expect(n8n.failedExecutions).toEqual([]);
	};
	const answer = '{"batches":[],"wakeUps":[],"waiting":0,"watching":false}';
	it.each<[string, Fate]>([
		['is not there', 'refuse'],
		['answers 404 for a while, as a proxy does', { status: 404, body: 'no such site' }],
		['answers broken JSON', { body: answer.slice(0, 20) }],
		['is cut off within its answer', { body: answer, cutAt: 10 }],
	])('that %s is asked again, and nothing is lost', async (_, fate) => {
		await publish();
		await isHeld();
		await fail(fate);
	});

	it('that falls silent is given up after a while', async () => {
		n8n.patience = 1 / 50;
		await publish();
		await isHeld();
		await fail('silence');
	});

	it('is not asked without a pause when it holds nothing', async () => {
		await publish();
		await isHeld();
		n8n.wire.fate = () => ({ body: answer });
		await receiver.serviceSends(eventOf(1));
		await started(1);
		const { length } = n8n.wire.requests;
		const began = performance.now();
		await until(() => n8n.wire.requests.length >= length + 20, 'more tries');
		// Fourteen pauses of a second, fifty times shorter here.
		expect(performance.now() - began).toBeGreaterThan(14 * 20);
	});

	it('that is away for ten minutes is told once, each time', async () => {
		await publish();
		for (const absence of [1, 2]) {
			await isHeld();
			n8n.wire.fate = () => ({ status: 503, body: '{"message":"not now"}' });
			await receiver.serviceSends(eventOf(absence));
			await tries(2);
			expect(n8n.failedExecutions).toHaveLength(absence - 1);
			const later = Date.now() + 10 * 60_000;
			const now = jest.spyOn(Date, 'now').mockReturnValue(later);
			await tries(3);
			expect(n8n.failedExecutions).toHaveLength(absence);
			expect(n8n.failedExecutions[absence - 1].message).toMatch(
				/^No events from the webhook receiver for ten minutes\. .*not now.*keeps trying/,
			);
			now.mockRestore();
			n8n.wire.fate = () => undefined;
			await drained();
		}
		expect(letters()).toEqual([1, 2]);
		expect(n8n.errors).toEqual([]);
	});

	it('with a new token refuses the old one: told on the workflow, once', async () => {
		await publish();
		await replaceToken();
		await until(() => n8n.errors.length > 0, 'an error');
		expect(n8n.errors).toMatchObject([
			{ message: expect.stringMatching(/Receiver Token.*Correct/) },
		]);
		const { length } = n8n.wire.requests;
		await n8n.close();
		// Longer than the closed one's pauses: another n8n opens, pulls and starts.
		const next = await another();
		await publish({ managementToken: NEW_TOKEN, workflowId: 'next' }, next);
		await receiver.serviceSends(eventOf(1));
		await started(1, next);
		expect(n8n.wire.requests).toHaveLength(length);
		expect(n8n.errors).toHaveLength(1);
	});

	it('with a new token is asked on when n8n would give the trigger up: it heals by itself', async () => {
		await publish();
		await replaceToken();
		await until(() => n8n.errors.length > 0, 'an error');
		await n8n.close();
		// n8n shows the error for as long as its tries fail, and has only five.
		const again = { mode: 'update' } as const;
		await expect(publish(again)).rejects.toThrow('Receiver Token');
		const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 14_000);
		await publish(again);
		now.mockRestore();
		await receiver.serviceSends(eventOf(1));
		await tries(3);
		expect(n8n.errors).toHaveLength(1);
		n8n.replaceToken(NEW_TOKEN);
		await started(1);
	});

	it.each(['init', 'leadershipChange'] as const)(
		'that refuses a trigger which n8n opens by itself, by "%s", is asked on',
		async (mode) => {
			await publish();
			await n8n.close();
			n8n.wire.fate = () => ({ status: 401, body: '{"message":"wrong token"}' });
			await publish({ mode });
			await until(() => n8n.errors.length > 0, 'an error');
			n8n.wire.fate = () => undefined;
			await receiver.serviceSends(eventOf(1));
			await started(1);
			expect(n8n.errors).toHaveLength(1);
		},
	);

	it('that still believes in the process before is waited for, and nobody is told', async () => {
		n8n.wire.fate = () => ({ status: 409, body: '{"code":"consumer-held","message":"held"}' });
		await publish({ mode: 'init' });
		await tries(3);
		n8n.wire.fate = () => undefined;
		await until(async () => (await receiver.consumers()).some(({ held }) => held), 'its place');
		await isHeld();
		expect(n8n.errors).toEqual([]);
		n8n.wire.fate = () => ({ status: 409, body: '{"code":"consumer-held","message":"held"}' });
		await receiver.serviceSends(eventOf(1));
		await until(() => n8n.errors.length > 0, 'word of the other n8n');
	});

	it('with a new token goes on with the one that the credential has by then', async () => {
		await publish();
		n8n.replaceToken(NEW_TOKEN);
		await replaceToken();
		await receiver.serviceSends(eventOf(1));
		await started(1);
		expect(n8n.errors).toEqual([]);
	});
});
