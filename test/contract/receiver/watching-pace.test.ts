// On the real clock, since it is about who wakes whom: a poll is in progress when the watcher looks
// for the next one, which is for the same letter.
import { cleanUp, start, until } from './harness.ts';
import { pollService } from './watching/service.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

it('a letter alone is polled again at its pace', async () => {
	const service = await pollService(Date.now);
	const env = service.env({ WATCH_DELAYS: '0s:1s', WATCH_RATE_LIMIT: '6000' });
	const receiver = await start({ env });
	const id = '000000000001';
	service.messages.set(id, { status: 'SENT', evidences: ['SENT'] });
	await receiver.manage('PUT', `/watches/${id}`, { messageType: 'LRE' });
	// If only its lease brought it back, a letter would be polled once a minute.
	await until(() => service.polls.length >= 3, 'it is polled for the third time');
});
