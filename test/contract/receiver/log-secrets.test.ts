// What a receiver writes to its log, whatever it is sent: no secret of anybody.
import { INGEST_SECRET, TOKEN, cleanUp, idOf, temporaryFolder, until, waitFor } from './harness.ts';
import { startProcess } from './process.ts';

jest.setTimeout(60_000);
afterEach(cleanUp);

it('no secret stands in the log, of what goes well or wrong', async () => {
	const sent = 'basic-password-that-somebody-sent';
	const wait = 'secret-of-a-wait-that-sleeps-in-n8n';
	const receiver = await startProcess(temporaryFolder(), {
		LOG_LEVEL: 'trace',
		SERVICE_URL: 'http://127.0.0.1:9',
		SERVICE_TOKEN: 'token-of-the-service-of-tests',
	});
	let said = '';
	receiver.child.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
	await receiver.emit({ event: 'aes_sent', messageId: 1 });
	await receiver.emit('{"broken', { authorization: `Basic ${sent}`, 'x-secret': sent });
	await receiver.manage('GET', `/events?token=${sent}`, undefined, sent);
	await receiver.manage('GET', `/events?limit=1&note=${sent}`);
	await receiver.manage('POST', '/watches', { messages: [{ messageId: idOf(1) }] });
	const asleep = waitFor({ now: Date.now }, [idOf(1)], {
		resumeUrl: `http://127.0.0.1:9/webhook-waiting/7?signature=${sent}`,
		secret: wait,
		deadline: new Date(Date.now() + 100).toISOString(),
	});
	const put = await receiver.manage('PUT', '/waits/wait-0000-0000-0001', asleep);
	expect(put.status).toBeLessThan(300);
	await until(async () => {
		const { wakeUps } = await receiver.pulled({ wants: null }, { key: 'n8n~process' });
		return wakeUps.length > 0;
	}, 'the wait is over');
	await receiver.manage('GET', '/nothing');
	await until(() => said.includes('/nothing'), 'the log has all of it');
	for (const secret of [sent, wait, TOKEN, INGEST_SECRET, 'token-of-the-service-of-tests']) {
		expect(said).not.toContain(secret);
	}
});
