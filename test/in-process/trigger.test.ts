// The trigger that pulls, in n8n's own context, against a real receiver.
import { setTimeout as sleep } from 'node:timers/promises';

import type { Pull } from '../../webhook-receiver/src/core/pull-contract.ts';
import { N8nDatabase, N8nProcess, type Publishing } from './pulling-n8n.ts';
import { eventOf, managementToken, PulledReceiver, until } from './pulled-receiver.ts';
import type { Fate } from '../support/wire.ts';
import type * as Pauses from '../support/short-pauses.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

let receiver: PulledReceiver;
let n8n: N8nProcess;
const processes: N8nProcess[] = [];

beforeEach(async () => {
	receiver = await PulledReceiver.start();
	n8n = await another();
});
afterEach(async () => {
	jest.restoreAllMocks();
	for (const one of processes.splice(0)) {
		one.wire.fate = () => undefined;
		await one.close();
		one.wire.cut();
	}
	await receiver.end();
});

async function another(database = new N8nDatabase()): Promise<N8nProcess> {
	const one = await N8nProcess.start(receiver.url, database);
	processes.push(one);
	return one;
}

const publish = async (more: Partial<Publishing> = {}, one = n8n) =>
	await one.publish({ managementToken, ...more });
const started = (count: number, { database } = n8n) =>
	until(
		() => database.executions.length >= count,
		() => `execution ${count} of ${database.executions.length}`,
	);
const drained = () => until(async () => await receiver.isDrained(), 'an empty queue');
const pulls = () => n8n.wire.requests.map(({ body }) => body as Pull);
const speaksOf = (settle: Pull['settle'], batch: string) =>
	settle.some((one) => one.batch === batch);
const letters = ({ database } = n8n) => database.events.map(({ messageId }) => Number(messageId));

describe('events', () => {
	const kinds: Array<[string, string, string, string | null, boolean, boolean]> = [
		['[STAT-01]', 'sent', 'tracked_mail.sent', 'SENT', false, false],
		['[STAT-02]', 'received', 'tracked_mail.received', 'RECEIVED', false, false],
		['[STAT-03]', 'opened', 'tracked_mail.opened', 'OPENED', true, false],
		['[STAT-04]', 'undelivered', 'tracked_mail.undelivered', 'UNDELIVERED', false, true],
		['[STAT-07]', 'failed', 'tracked_mail.failed', null, true, false],
	];
	it.each(kinds)(
		'%s[TYPE-06][EVNT-01][T] aes_%s and its mt_ twin start the workflow as %s',
		async (_, name, type, status, terminal, reversible) => {
			await publish();
			await receiver.serviceSends([eventOf(1, `aes_${name}`), eventOf(2, `mt_${name}`)]);
			await started(2);
			for (const [index, messageType] of ['AES', 'MT'].entries()) {
				expect(n8n.database.events[index]).toMatchObject({
					...{ type, messageType, status, terminal, reversible },
					sourceType: `${messageType.toLowerCase()}_${name}`,
					messageId: `00000000000${index + 1}`,
					occurredAt: expect.any(String),
					raw: { event: `${messageType.toLowerCase()}_${name}` },
				});
			}
			await drained();
			expect(n8n.database.executions).toHaveLength(2);
		},
	);

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

	it('are simplified when asked for', async () => {
		await publish({ parameters: { simplify: true } });
		await receiver.serviceSends(eventOf(1));
		await started(1);
		const [event] = n8n.database.events;
		expect(event).toMatchObject({ type: 'tracked_mail.sent', messageId: '000000000001' });
		expect(Object.keys(event)).not.toContain('raw');
		expect(Object.keys(event)).not.toContain('id');
	});
});

describe('executions', () => {
	it('run no more at once than asked for, and those of a letter in order', async () => {
		n8n.endsAtOnce = false;
		await publish({ parameters: { options: { atOnce: 3 } } });
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

	it('get several events each when that is asked for', async () => {
		await publish({ parameters: { options: { batchSize: 10 } } });
		await receiver.serviceSends([1, 2, 3].map((letter) => eventOf(letter)));
		await drained();
		expect(letters()).toEqual([1, 2, 3]);
		expect(n8n.database.executions).toHaveLength(1);
	});

	it('that run for long stay in hand: the receiver hears of them again and again', async () => {
		n8n.endsAtOnce = false;
		await publish();
		await receiver.serviceSends([eventOf(1)]);
		await started(1);
		const said = (outcome: string) =>
			n8n.wire.requests.filter(({ body }) => JSON.stringify(body).includes(`"${outcome}"`));
		await until(() => said('inProgress').length > 0, 'word that it runs');
		n8n.database.executions[0].end();
		await drained();
		const pulls = n8n.wire.requests.map(({ body }) => body as { holdMs: number });
		// Half of the ack wait, with the time that a request may take.
		expect(Math.max(...pulls.map(({ holdMs }) => holdMs)) + 15_000).toBeLessThan(60_000);
	});

	it('that n8n cannot start are tried again', async () => {
		n8n.refusals = 2;
		await publish();
		await receiver.serviceSends([eventOf(1)]);
		await started(1);
		await drained();
		expect(n8n.emits).toBe(3);
		const { data } = await receiver.manage<{ data: Array<{ attempts: number }> }>('/deliveries');
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

	it('that n8n does not save are started once all the same, though answers get lost and come twice', async () => {
		n8n.database.savesNothing = true;
		const seen: unknown[] = [];
		let losses = 0;
		n8n.wire.fate = ({ body }) => {
			if (JSON.stringify(body).includes('"ack"') && losses++ < 3) return 'loseAnswer';
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
		await receiver.serviceSends([6, 7].map((letter) => eventOf(letter)));
		await drained();
		expect(losses).toBeGreaterThan(3);
		expect(letters()).toEqual([1, 2, 3, 4, 5, 6, 7]);
		expect(n8n.emits).toBe(7);
	});

	it('that end make room at once, though a pull was held while there was none', async () => {
		n8n.endsAtOnce = false;
		await publish({ parameters: { options: { atOnce: 1 } } });
		for (const letter of [1, 2, 3]) {
			await receiver.serviceSends([eventOf(letter)]);
			await started(letter);
			const { key } = n8n.database.executions[letter - 1];
			const [, batch] = key.split('~');
			await until(() =>
				pulls().some(({ holdMs, settle }) => holdMs > 0 && speaksOf(settle, batch)),
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

describe('publishing', () => {
	it('fails with the reason in words', async () => {
		await expect(publish({ managementToken: 'a-token-of-nobody' })).rejects.toThrow(
			/does not accept the Management Token.*Correct the credential/,
		);
		n8n.wire.fate = () => ({ status: 404, body: '{"message":"no such path"}' });
		await expect(publish()).rejects.toThrow(/gives out no events\. Check the Receiver URL/);
		n8n.wire.fate = () => ({ body: '<html>Welcome</html>', contentType: 'text/html' });
		await expect(publish()).rejects.toThrow(/is not a webhook receiver\. Check/);
		n8n.wire.fate = () => ({ status: 422, body: '{"message":"batchSize is too large"}' });
		await expect(publish()).rejects.toThrow(/no events: batchSize is too large/);
		expect(await receiver.consumers()).toEqual([]);
	});

	it.each([
		['Events', { events: [] }],
		['Events', { events: '={{ "lre.failed" }}' }],
		['File Reference', { options: { fileReference: '={{ "" }}' } }],
		['Message Statuses', { options: { statuses: [] } }],
		['Executions at Once', { options: { atOnce: '={{ 0 }}' } }],
		['Events per Execution', { options: { batchSize: '={{ 501 }}' } }],
		['When Published Again', { options: { whenPublishedAgain: '={{ "never" }}' } }],
	])('is refused when %s is wrong: %j', async (name, parameters) => {
		await expect(publish({ parameters })).rejects.toThrow(new RegExp(`^${name}: `));
		expect(n8n.wire.requests).toEqual([]);
	});

	it('does not fail while the receiver is away, and starts with what came since', async () => {
		await publish();
		await n8n.close();
		await receiver.serviceSends([eventOf(1)]);
		n8n.wire.fate = () => 'refuse';
		await publish({ mode: 'init' });
		n8n.wire.fate = () => ({ status: 503, body: '' });
		await until(() => n8n.wire.requests.length > 6);
		n8n.wire.fate = () => undefined;
		await started(1);
	});

	it('refuses a second n8n with the same identity, and lets it in when the first has died', async () => {
		await publish();
		const rival = await another();
		await expect(publish({}, rival)).rejects.toThrow(
			/Another n8n with the same identity.*Stop one/,
		);
		n8n.kill();
		await until(async () => !(await receiver.consumers())[0].held, 'a free consumer');
		await publish({}, rival);
		await receiver.serviceSends(eventOf(1));
		await started(1, rival);
	});

	it('at the other n8n ends this one, with word of it on the workflow, once', async () => {
		await publish();
		n8n.wire.fate = () => ({
			status: 409,
			body: '{"code":"consumer-held","message":"another holder"}',
		});
		await until(async () => (await receiver.consumers()).length === 1);
		n8n.wire.requests.length = 0;
		// The pull that is held ends first.
		await receiver.serviceSends(eventOf(1));
		await until(() => n8n.errors.length > 0, 'an error');
		expect(n8n.errors).toMatchObject([{ message: expect.stringContaining('Another n8n') }]);
		await n8n.close();
		expect(n8n.errors).toHaveLength(1);
	});

	it.each([
		['catchUp', [1, 2]],
		['startFromNow', [2]],
	])('again, with %s: letters %j', async (whenPublishedAgain, expected) => {
		const parameters = { options: { whenPublishedAgain } };
		await publish({ parameters });
		await n8n.close();
		await receiver.serviceSends(eventOf(1));
		await publish({ parameters });
		await receiver.serviceSends(eventOf(2));
		await drained();
		expect(letters()).toEqual(expected);
	});

	it.each(['update', 'init', 'leadershipChange'] as const)(
		'never leaves out anything by "%s"',
		async (mode) => {
			const parameters = { options: { whenPublishedAgain: 'startFromNow' } };
			await publish({ parameters });
			await n8n.close();
			await receiver.serviceSends(eventOf(1));
			await publish({ parameters, mode });
			await started(1);
		},
	);

	it('leaves out nothing where n8n opens a trigger again that was refused', async () => {
		const parameters = { options: { whenPublishedAgain: 'startFromNow' } };
		await publish({ parameters });
		await receiver.stop();
		await receiver.start('another-token-of-the-test');
		n8n.wire.target = receiver.url;
		await until(() => n8n.errors.length > 0, 'an error');
		await n8n.close();
		await receiver.serviceSends(eventOf(1));
		await publish({ parameters, managementToken: 'another-token-of-the-test' });
		await started(1);
	});

	it('closes at once, and gives the consumer free', async () => {
		await publish();
		await until(() => n8n.wire.requests.length === 2, 'a held pull');
		const began = performance.now();
		await n8n.close();
		expect(performance.now() - began).toBeLessThan(2_000);
		expect(await receiver.consumers()).toMatchObject([{ held: false }]);
		const { length } = n8n.wire.requests;
		await receiver.serviceSends(eventOf(1));
		await sleep(50);
		expect(n8n.wire.requests).toHaveLength(length);
		expect(n8n.database.executions).toEqual([]);
	});

	it('edited while executions run: each event once, and their end is told', async () => {
		n8n.endsAtOnce = false;
		await publish({ parameters: { options: { atOnce: 4 } } });
		await receiver.serviceSends([1, 2, 3, 4, 5, 6].map((letter) => eventOf(letter)));
		await started(4);
		await n8n.edit({ managementToken, parameters: { options: { atOnce: 4 } } });
		await until(
			() =>
				n8n.wire.requests.filter(({ body }) => JSON.stringify(body).includes('inProgress')).length >
				1,
		);
		expect(n8n.database.executions).toHaveLength(4);
		for (const execution of n8n.database.running) execution.end();
		await started(6);
		for (const execution of n8n.database.running) execution.end();
		await drained();
		expect(n8n.emits).toBe(6);
		expect(n8n.peak).toBe(4);
	});

	it('unpublished while executions run: their end is told still', async () => {
		n8n.endsAtOnce = false;
		await publish();
		await receiver.serviceSends([eventOf(1), eventOf(2)]);
		await started(2);
		await n8n.close();
		for (const execution of n8n.database.running) execution.end();
		await drained();
		expect(n8n.emits).toBe(2);
	});
});

describe('a receiver', () => {
	/** The next events go out with a pull that is there already. */
	const isHeld = async () => {
		await until(() => (pulls().at(-1)?.holdMs ?? 0) > 0, 'a held pull');
		await receiver.consumers();
	};
	const tries = async (count: number) => {
		const { length } = n8n.wire.requests;
		await until(() => n8n.wire.requests.length >= length + count, 'tries');
	};
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
		['answers 500', { status: 500, body: '' }],
		['answers 429', { status: 429, body: '{"message":"too many"}' }],
		['answers 404 for a while, as a proxy does', { status: 404, body: 'no such site' }],
		['answers HTML with 200', { contentType: 'text/html', body: '<html>Starting up</html>' }],
		['answers broken JSON', { body: answer.slice(0, 20) }],
		['answers something else', { body: '{"data":[]}' }],
		['answers nothing with 200', { body: '' }],
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
		await until(() => n8n.wire.requests.length >= length + 20);
		// Fourteen pauses of a second, fifty times shorter here.
		expect(performance.now() - began).toBeGreaterThan(14 * 20);
	});

	it('may be restarted while executions run', async () => {
		n8n.endsAtOnce = false;
		await publish({ parameters: { options: { atOnce: 2 } } });
		await receiver.serviceSends([1, 2, 3, 4].map((letter) => eventOf(letter)));
		await started(2);
		await receiver.stop();
		n8n.database.running[0].end();
		await receiver.start();
		n8n.wire.target = receiver.url;
		await started(3);
		expect(n8n.database.running).toHaveLength(2);
		for (const execution of n8n.database.running) execution.end();
		await started(4);
		n8n.database.running[0].end();
		await drained();
		expect(n8n.emits).toBe(4);
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
				/^No word from the webhook receiver for ten minutes\. .*not now.*goes on asking/,
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
		await receiver.stop();
		await receiver.start('another-token-of-the-test');
		n8n.wire.target = receiver.url;
		await until(() => n8n.errors.length > 0, 'an error');
		expect(n8n.errors).toMatchObject([
			{ message: expect.stringMatching(/Management Token.*Correct/) },
		]);
		const { length } = n8n.wire.requests;
		await n8n.close();
		await sleep(100);
		expect(n8n.wire.requests).toHaveLength(length);
		expect(n8n.errors).toHaveLength(1);
	});

	it('with a new token goes on with the one that the credential has by then', async () => {
		await publish();
		n8n.replaceToken('another-token-of-the-test');
		await receiver.stop();
		await receiver.start('another-token-of-the-test');
		n8n.wire.target = receiver.url;
		await receiver.serviceSends(eventOf(1));
		await started(1);
		expect(n8n.errors).toEqual([]);
	});
});

describe('a test', () => {
	it('begins at the end of the log, starts with the first event, and leaves production alone', async () => {
		await publish();
		await n8n.close();
		await receiver.serviceSends(eventOf(1));
		for (const letter of [2, 3]) {
			await publish({ mode: 'manual' });
			await receiver.serviceSends(eventOf(letter));
			await started(letter - 1);
			await n8n.close();
			await receiver.serviceSends(eventOf(9));
		}
		expect(letters()).toEqual([2, 3]);
		expect((await receiver.consumers()).map(({ key }) => key.split('~').at(-1)).sort()).toEqual([
			'production',
			'test',
		]);
	});

	it('fails at once when the receiver is away', async () => {
		n8n.wire.fate = () => 'refuse';
		await expect(publish({ mode: 'manual' })).rejects.toThrow(/cannot be reached: .*Receiver URL/);
	});
});
