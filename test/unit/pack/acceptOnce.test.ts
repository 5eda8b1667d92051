// What becomes of a wait when its wake-up comes again. n8n's part is played by its response.
import { EventEmitter } from 'node:events';

import { acceptedBefore, acceptOnce } from '../../../nodes/shared/waiting/acceptOnce.ts';
import { GRACE_MS, isLeftToN8n } from '../../../nodes/shared/waiting/deadline.ts';

type Response = Parameters<typeof acceptOnce>[1];
class N8nResponse extends EventEmitter {
	writableEnded = false;
	statusCode = 200;
	/** @param listens whether the sender still does */
	end(statusCode = 200, listens = true) {
		Object.assign(this, { writableEnded: true, statusCode });
		if (listens) this.emit('close');
	}
}

let last = 0;
const wait = () => `wait-${++last}`;
const accept = async (id: string, response: N8nResponse, answer: object = { workflowData: [] }) =>
	await acceptOnce(id, response as unknown as Response, async () => answer);

it.each([true, false])('is open until n8n lets it in (somebody listens: %s)', async (listens) => {
	const [id, response] = [wait(), new N8nResponse()];
	expect(acceptedBefore(id)).toBe(null);
	await accept(id, response);
	expect(acceptedBefore(id)).toBe('open');
	if (!listens) response.emit('close');
	expect(acceptedBefore(id)).toBe('open');
	response.end(200, listens);
	expect(acceptedBefore(id)).toBe('resumed');
	expect(acceptedBefore(id)).toBe('resumed');
});

it.each([409, 500])('may be accepted again when n8n could not let it in (%i)', async (status) => {
	const [id, response] = [wait(), new N8nResponse()];
	await accept(id, response);
	response.end(status);
	expect(acceptedBefore(id)).toBe(null);
	await accept(id, new N8nResponse());
	expect(acceptedBefore(id)).toBe('open');
});

it('is open while the node is at work on it, and no longer if the execution sleeps on', async () => {
	const [id, response] = [wait(), new N8nResponse()];
	const work = Promise.withResolvers<object>();
	const accepted = acceptOnce(id, response as unknown as Response, async () => await work.promise);
	expect(acceptedBefore(id)).toBe('open');
	work.resolve({ noWebhookResponse: true });
	await accepted;
	expect(acceptedBefore(id)).toBe(null);
	const failing = acceptOnce(id, response as unknown as Response, async () => {
		throw new Error('no reminder');
	});
	await expect(failing).rejects.toThrow('no reminder');
	expect(acceptedBefore(id)).toBe(null);
});

it('forgets the oldest that were resumed, and none that is open', async () => {
	const [open, first, ids] = [wait(), wait(), Array.from({ length: 1_000 }, wait)];
	await accept(open, new N8nResponse());
	for (const id of [first, ...ids]) {
		const response = new N8nResponse();
		await accept(id, response);
		response.end();
	}
	expect(acceptedBefore(open)).toBe('open');
	expect(acceptedBefore(first)).toBe(null);
	expect(acceptedBefore(ids[999])).toBe('resumed');
});

it('leaves it to n8n half of the time before n8n wakes the execution itself', () => {
	const deadline = Date.UTC(2026, 0, 31);
	const ends = [deadline - 1, deadline].map((end) => new Date(end).toISOString());
	expect(isLeftToN8n({ ends }, deadline + GRACE_MS / 2 - 1)).toBe(false);
	expect(isLeftToN8n({ ends }, deadline + GRACE_MS / 2)).toBe(true);
});
