// In real time, since the limit is the HTTP server’s own.
import { HOLDER, cleanUp, start } from './harness.ts';

afterEach(cleanUp);

it('a pull is not cut off while it is held, however long requests may take to arrive', async () => {
	const receiver = await start();
	const started = Date.now();
	// The receiver allows 30 s for a whole request to arrive.
	const answer = await receiver.pulled({ openMs: 33_000, holder: HOLDER });
	expect(answer.batches).toEqual([]);
	expect(Date.now() - started).toBeGreaterThanOrEqual(33_000);
}, 60_000);
