// Publishing, editing, unpublishing and testing a trigger that pulls.

import type * as Pauses from '../support/short-pauses.ts';
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
	usePulling,
} from './pulling.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

usePulling();

describe('publishing', () => {
	it('fails with the reason in words', async () => {
		await expect(publish({ managementToken: 'a-token-of-nobody' })).rejects.toThrow(
			/does not accept the Receiver Token.*Correct the credential/,
		);
		n8n.wire.fate = () => ({ status: 404, body: '{"message":"no such path"}' });
		await expect(publish()).rejects.toThrow(/provides no events\. Check the Receiver URL/);
		n8n.wire.fate = () => ({ body: '<html>Welcome</html>', contentType: 'text/html' });
		await expect(publish()).rejects.toThrow(/is not a webhook receiver\. Check/);
		n8n.wire.fate = () => ({ status: 422, body: '{"message":"batchSize is too large"}' });
		await expect(publish()).rejects.toThrow(/no events to this n8n: batchSize is too large/);
		expect(await receiver.consumers()).toEqual([]);
	});

	it.each([
		['Trigger On', { events: [] }],
		['Trigger On', { events: '={{ "lre.failed" }}' }],
		['Max Concurrent Executions', { options: { maxConcurrentExecutions: '={{ 0 }}' } }],
		// A filter that would let nothing through.
		['Message Types', { options: { messageTypes: [] } }],
		['Message Statuses', { options: { statuses: '={{ [null] }}' } }],
		['File Reference', { options: { fileReference: '{{ $vars.file }}' } }],
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
		await until(() => n8n.wire.requests.length > 6, 'tries');
		n8n.wire.fate = () => undefined;
		await started(1);
	});

	it('at the other n8n ends this one, with word of it on the workflow, once', async () => {
		await publish();
		await isHeld();
		n8n.wire.fate = () => ({
			status: 409,
			body: '{"code":"consumer-held","message":"another holder"}',
		});
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

	it('leaves out nothing where n8n opens a trigger again that was refused', async () => {
		const parameters = { options: { whenPublishedAgain: 'startFromNow' } };
		await publish({ parameters });
		await replaceToken();
		await until(() => n8n.errors.length > 0, 'an error');
		await n8n.close();
		await receiver.serviceSends(eventOf(1));
		await publish({ parameters, managementToken: NEW_TOKEN });
		await started(1);
	});

	it('closes at once, and gives the consumer free', async () => {
		await publish();
		await isHeld();
		const began = performance.now();
		await n8n.close();
		// A pull is held for 25 s.
		expect(performance.now() - began).toBeLessThan(20_000);
		expect(await receiver.consumers()).toMatchObject([{ held: false }]);
		const { length } = n8n.wire.requests;
		// The next one gets what the closed one would have.
		const next = await another();
		await publish({}, next);
		await receiver.serviceSends(eventOf(1));
		await started(1, next);
		expect(n8n.wire.requests).toHaveLength(length);
		expect(n8n.database.executions).toEqual([]);
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
