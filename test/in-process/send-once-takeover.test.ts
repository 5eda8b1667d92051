// A Send Once Key whose outcome is unknown, taken over with "Send Again".
import { cleanUp, start, TOKEN } from '../contract/receiver/harness.ts';
import { arrived, sendLetters, takeAll } from '../support/letters.ts';
import type { Credentials } from '../support/n8n-core.ts';
import { startStubService, type StubService } from '../support/stub-service.ts';

let stub: StubService;
let credentials: Record<string, Partial<Credentials>>;

beforeAll(async () => {
	stub = await startStubService();
	const { url: receiverUrl } = await start();
	const registeredDeliveryReceiverApi = { receiverUrl, managementToken: TOKEN };
	credentials = { n8n: {}, 'the receiver': { registeredDeliveryReceiverApi } };
});
afterAll(async () => {
	await stub.close();
	await cleanUp();
});
beforeEach(() => takeAll(stub));

describe.each(['n8n', 'the receiver'])('kept by %s', (keeper) => {
	const send = (ifOutcomeUnknown: string) =>
		sendLetters(stub.credential, {
			options: { sendOnceKey: `${keeper}-1`, ifOutcomeUnknown },
			credentials: credentials[keeper] as Credentials,
		});

	it('is unknown again when the second letter was certainly not sent, since the first may have been', async () => {
		stub.answer = () => ({ status: 500, body: '' });
		expect((await send('fail')).error?.message).toMatch(/^Outcome unknown: /);
		stub.answer = () => ({ status: 422, body: { message: 'No', code: 'no' } });
		expect((await send('sendAgain')).error?.message).toBe('No (no)');
		expect(arrived(stub)).toHaveLength(2);

		takeAll(stub);
		expect((await send('fail')).error?.message).toMatch(/^Outcome unknown: /);
		expect(arrived(stub)).toEqual([]);
		const { items } = await send('sendAgain');
		expect(items.map(({ json }) => json.alreadySent ?? false)).toEqual([false]);
	});
});
