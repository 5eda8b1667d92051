// The trigger that pulls, in n8n's own context, against a real receiver: events and executions.
import { TriggerContext } from 'n8n-core';

import type { Pull } from '../../webhook-receiver/src/core/pull-contract.ts';
import { until } from '../contract/receiver/harness.ts';
import { eventOf, managementToken } from './pulled-receiver.ts';
import {
	drained,
	letters,
	n8n,
	publish,
	pulls,
	pullsThatSay,
	receiver,
	started,
	usePulling,
} from './pulling.ts';
import type * as Pauses from '../support/short-pauses.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

usePulling();

describe('events', () => {
	const kinds: Array<[string, string | null, boolean, boolean]> = [
		['sent', 'SENT', false, false],
		['received', 'RECEIVED', false, false],
		['opened', 'OPENED', true, false],
		['undelivered', 'UNDELIVERED', false, true],
		['failed', null, true, false],
	];
	it('[STAT-01][STAT-02][STAT-03][STAT-04][STAT-07][TYPE-06][EVNT-01][T] of each kind, by either spelling, start the workflow once', async () => {
		await publish();
		const spelled = kinds.flatMap(([name, ...rest]) =>
			['AES', 'MT'].map((messageType) => ({ messageType, name, rest })),
		);
		await receiver.serviceSends(
			spelled.map(({ messageType, name }, at) =>
				eventOf(at, `${messageType.toLowerCase()}_${name}`),
			),
		);
		await drained();
		const events = n8n.database.events.toSorted((one, other) =>
			String(one.messageId).localeCompare(String(other.messageId)),
		);
		expect(events).toMatchObject(
			spelled.map(({ messageType, name, rest: [status, terminal, reversible] }, at) => ({
				type: `tracked_mail.${name}`,
				messageType,
				status,
				terminal,
				reversible,
				sourceType: `${messageType.toLowerCase()}_${name}`,
				messageId: String(at).padStart(12, '0'),
				occurredAt: expect.any(String) as string,
				raw: { event: `${messageType.toLowerCase()}_${name}` },
			})),
		);
		expect(n8n.database.executions).toHaveLength(spelled.length);
	});

	it('[SCHD-04][EVNT-01][T] lre_failed starts the workflow', async () => {
		await publish({ parameters: { events: ['lre.failed'] } });
		await receiver.serviceSends(eventOf(1, 'lre_failed'));
		await started(1);
		expect(n8n.database.events).toMatchObject([{ type: 'lre.failed', messageType: 'LRE' }]);
	});

	it('[STAT-05][T] a delivery after a bounce starts it again', async () => {
		await publish();
		for (const name of ['aes_received', 'aes_undelivered', 'aes_received']) {
			await receiver.serviceSends(eventOf(5, name));
		}
		await started(3);
		const statuses = n8n.database.events.map(({ status }) => status);
		expect(statuses).toEqual(['RECEIVED', 'UNDELIVERED', 'RECEIVED']);
	});

	it.each([
		['[EVNT-01] of another type', { events: ['tracked_mail.opened'] }],
		['[STAT-03][EVNT-01] of another status', { options: { statuses: ['OPENED'] } }],
	])('%s start nothing [T]', async (_, parameters) => {
		await publish({ parameters });
		await receiver.serviceSends([eventOf(1), eventOf(1, 'aes_failed'), eventOf(1, 'aes_opened')]);
		await drained();
		expect(n8n.database.events).toMatchObject([{ type: 'tracked_mail.opened' }]);
	});

	it('[EVNT-02][T] of unknown name start who asked for any event', async () => {
		await publish();
		await receiver.serviceSends(eventOf(1, 'aes_teleported'));
		await started(1);
		expect(n8n.database.events).toMatchObject([{ type: 'unknown', sourceType: 'aes_teleported' }]);
	});

	it('of a type that only a newer receiver knows pass through as they are', async () => {
		n8n.wire.fate = () => ({
			change: (answer) => {
				const text = JSON.stringify(answer).replaceAll('tracked_mail.sent', 'letter.teleported');
				return { ...(JSON.parse(text) as object), more: 1 };
			},
		});
		await publish();
		await receiver.serviceSends(eventOf(1));
		await started(1);
		await drained();
		expect(n8n.database.events).toMatchObject([{ type: 'letter.teleported' }]);
	});

	it.each([
		['as it is', false],
		['simplified', true],
	])('of the receiver itself come to who chose them, %s', async (_, simplify) => {
		const attention = {
			kind: 'workflow-away',
			state: 'begun',
			text: 'It is away.',
			advice: 'See why.',
			since: '2026-01-31T09:30:00.000Z',
			workflow: { name: 'One', node: 'Two', url: null },
		};
		n8n.wire.fate = () => ({
			change: (answer) => {
				const whole = JSON.parse(JSON.stringify(answer)) as {
					batches?: Array<{ events: object[] }>;
				};
				for (const { events } of whole.batches ?? []) {
					for (const event of events) {
						Object.assign(event, { type: 'receiver.attention', messageId: null, attention });
					}
				}
				return whole;
			},
		});
		await publish({
			parameters: { events: ['receiver.attention', 'tracked_mail.sent'], simplify },
		});
		expect(pulls()[0].wants?.events).toEqual(['receiver.attention', 'tracked_mail.sent']);
		await receiver.serviceSends(eventOf(1));
		await started(1);
		await drained();
		const { workflow, ...flat } = attention;
		const expected = simplify
			? { ...flat, workflow: workflow.name, node: workflow.node, url: null }
			: { attention };
		expect(n8n.database.events).toMatchObject([{ type: 'receiver.attention', ...expected }]);
	});

	it('"Any Event" asks for nothing of the receiver, unless that is chosen beside it', async () => {
		await publish();
		expect((await receiver.consumers())[0].wants.events).toEqual(['*']);
		await n8n.edit({
			managementToken,
			parameters: { events: ['tracked_mail.sent', '*', 'receiver.attention'] },
		});
		expect((await receiver.consumers())[0].wants.events).toEqual(['*', 'receiver.attention']);
	});

	it('the receiver knows the workflow by its name, its node, and where n8n shows it', async () => {
		await publish({ workflowId: 'flow/1' });
		expect(await receiver.consumers()).toMatchObject([
			{
				node: 'Under Test',
				url: 'http://localhost/workflow/flow%2F1',
			},
		]);
	});

	it('user and password in the address of n8n stay there', async () => {
		const { prototype } = TriggerContext;
		jest.spyOn(prototype, 'getInstanceBaseUrl').mockReturnValue('https://ada:pass@n8n.example/x/');
		await publish();
		expect(await receiver.consumers()).toMatchObject([
			{ url: 'https://n8n.example/x/workflow/workflow1' },
		]);
	});

	it('are simplified when asked for', async () => {
		await publish({ parameters: { simplify: true } });
		await receiver.serviceSends(eventOf(1));
		await started(1);
		const [event] = n8n.database.events;
		// A row of a table takes nothing else.
		expect(Object.values(event).filter((value) => typeof value === 'object')).toEqual([null, null]);
		expect(event).toMatchObject({ type: 'tracked_mail.sent', messageId: '000000000001' });
		expect(Object.keys(event)).not.toContain('raw');
		expect(Object.keys(event)).not.toContain('id');
	});
});

describe('executions', () => {
	it('run no more at once than asked for, and those of a letter in order', async () => {
		n8n.endsAtOnce = false;
		await publish({ parameters: { options: { maxConcurrentExecutions: 3 } } });
		const events = Array.from({ length: 12 }, (_, index) => eventOf(index % 4));
		await receiver.serviceSends(events);
		for (let ended = 0; ended < 12; ended++) {
			await until(() => n8n.database.running.length > 0, 'a running execution');
			n8n.database.running[0].end(ended % 2 ? 'error' : 'waiting');
		}
		await drained();
		expect(n8n.peak).toBe(3);
		for (const letter of [0, 1, 2, 3]) {
			const times = n8n.database.events
				.filter(({ messageId }) => Number(messageId) === letter)
				.map(({ occurredAt }) => occurredAt ?? '');
			expect(times).toHaveLength(3);
			expect(times).toEqual([...times].sort());
		}
	});

	it('that run for long stay in hand: the receiver hears of them again and again, for ten minutes', async () => {
		n8n.endsAtOnce = false;
		await publish();
		await receiver.serviceSends([eventOf(1), eventOf(1)]);
		await started(1);
		await until(() => pullsThatSay('inProgress').length > 0, 'word that it runs');
		expect(n8n.database.executions).toHaveLength(1);
		// The first one goes on, and no longer holds up its letter.
		await started(2);
		n8n.database.executions[1].end();
		await drained();
		// Half of the ack wait, with the time that a request may take.
		expect(Math.max(...pulls().map(({ openMs }) => openMs)) + 15_000).toBeLessThan(60_000);
	});

	it('that n8n cannot start are tried again', async () => {
		// n8n is asked twice each time.
		n8n.refusals = 4;
		await publish();
		await receiver.serviceSends([eventOf(1)]);
		await started(1);
		await drained();
		expect(n8n.emits).toBe(5);
		const { data } = await receiver.manage<{ data: Array<{ attempts: number }> }>('/batches');
		expect(data).toMatchObject([{ attempts: 3 }]);
	});

	it.each([['manual'], ['timeout']] as const)(
		'cancelled (%s) are not started again',
		async (reason) => {
			n8n.endsAtOnce = false;
			n8n.database.savesNothing = true;
			await publish();
			await receiver.serviceSends([eventOf(1)]);
			await started(1);
			n8n.database.executions[0].cancel(reason);
			await drained();
			expect(n8n.emits).toBe(1);
		},
	);

	it.each(['as they start', 'as their worker dies'])(
		'that n8n fails %s, and stores without events, are lost: the receiver keeps them',
		async (when) => {
			n8n.endsAtOnce = false;
			if (when === 'as they start') n8n.failures = 1;
			await publish();
			await receiver.serviceSends([eventOf(1)]);
			if (when === 'as their worker dies') {
				await started(1);
				n8n.database.executions[0].lose();
			}
			const dead = async () =>
				(await receiver.manage<{ data: object[] }>('/batches?state=dead')).data;
			await until(async () => (await dead()).length > 0, 'word of it');
			const reason = expect.stringMatching(
				/^n8n failed the execution and stored none of its events/,
			);
			expect(await dead()).toMatchObject([{ reason }]);
			expect(n8n.database.running).toEqual([]);
		},
	);

	it('that n8n does not save are started once all the same, though answers get lost and come twice', async () => {
		n8n.database.savesNothing = true;
		const seen: unknown[] = [];
		let losses = 0;
		n8n.wire.fate = ({ body }) => {
			// An open pull may say it too; what is lost with its answer comes again only after the ack wait.
			const { openMs } = body as Pull;
			if (openMs === 0 && JSON.stringify(body).includes('"ack"') && losses++ < 3)
				return 'loseAnswer';
			return {
				change: (answer) => {
					const { batches } = answer as { batches: unknown[] };
					seen.push(...batches);
					return { ...(answer as object), batches: seen };
				},
			};
		};
		await publish();
		await receiver.serviceSends([1, 2, 3, 4, 5].map((letter) => eventOf(letter)));
		await drained();
		await until(() => losses > 3, 'an answer that got through');
		await receiver.serviceSends([6, 7].map((letter) => eventOf(letter)));
		await drained();
		expect(letters()).toEqual([1, 2, 3, 4, 5, 6, 7]);
		expect(n8n.emits).toBe(7);
	});

	it('that end make room at once, though a pull was held while there was none', async () => {
		n8n.endsAtOnce = false;
		await publish({ parameters: { options: { maxConcurrentExecutions: 1 } } });
		for (const letter of [1, 2, 3]) {
			await receiver.serviceSends([eventOf(letter)]);
			await started(letter);
			const { key } = n8n.database.executions[letter - 1];
			const [, batch] = key.split('~');
			await until(
				() => pullsThatSay('inProgress', batch).some(({ openMs }) => openMs > 0),
				'word of it',
			);
			// Comes behind it at the receiver.
			await receiver.consumers();
			n8n.database.executions[letter - 1].end();
			await drained();
		}
	}, 10_000);

	it('one that never ends holds up nobody but its letter', async () => {
		n8n.endsAtOnce = false;
		await publish();
		await receiver.serviceSends([eventOf(1)]);
		await started(1);
		n8n.endsAtOnce = true;
		await receiver.serviceSends([eventOf(1), ...[2, 3, 4].map((letter) => eventOf(letter))]);
		await started(4);
		expect(letters()).toEqual([1, 2, 3, 4]);
		n8n.database.executions[0].end();
		await started(5);
	});
});
