// Who holds the secret of a wait may wake its execution: what stands at n8n's own address sends it nowhere else.
import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { cleanUp, later, start, TOKEN, until } from '../contract/receiver/harness.ts';
import { serve } from '../support/http-server.ts';
import { byReceiver } from '../support/sandbox.ts';
import { SleepingN8n, untilAsleep, waitOf } from './sleeping-n8n.ts';

afterEach(cleanUp);

it('a wake-up follows no redirect', async () => {
	const receiver = await start();
	const n8n = await SleepingN8n.start(new AwaitOutcome());
	later(() => n8n.close());
	const asked: unknown[] = [];
	const elsewhere = await serve(({ url }, response) => {
		asked.push(url);
		response.setHeader('content-type', 'application/json').end('{"wakeUp":"resumed"}');
	});
	later(() => elsewhere.close());
	const messageId = '000000000001';
	const execution = await untilAsleep(
		n8n.run({
			credentials: { registeredDeliveryApi: byReceiver(receiver.url, TOKEN) },
			items: [{ json: { messageId, type: 'AES' } }],
		}),
	);
	n8n.instead = (_request, response) => response.redirect(307, `${elsewhere.url}/there`);
	await receiver.emit([{ event: 'aes_opened', messageId, timestamp: new Date().toISOString() }]);
	const wait = async () =>
		(await receiver.manage('GET', `/waits/${waitOf(execution)?.waitId}`)).body;
	await until(async () => (await wait()).lastResult !== null, 'an attempt in vain');
	expect((await wait()).lastResult).toMatch(/: answered 307/);
	expect(asked).toEqual([]);
	// An execution that still waits would keep this process asking.
	await receiver.manage('DELETE', `/waits/${waitOf(execution)?.waitId}`);
});
