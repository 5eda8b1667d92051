// What stands between n8n and the servers it asks: n8n's own protection, authorities, proxies.
import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { arrived, sendLetters } from '../support/letters.ts';
import { protectFromSsrf, testCredential } from '../support/n8n-core.ts';
import { useStub } from './services.ts';

const stub = useStub();

describe('n8n’s SSRF protection', () => {
	beforeAll(() => protectFromSsrf(true));
	afterAll(() => protectFromSsrf(false));
	const words = /SSRF protection forbids .*N8N_SSRF_ALLOWED_HOSTNAMES .*N8N_SSRF_ALLOWED_IP_RANGES/;

	it('stops a letter, which is said with the setting that allows it', async () => {
		const { error } = await sendLetters(stub.credential, { options: { sendOnceKey: 'ssrf' } });
		expect(error?.message).toMatch(words);
		protectFromSsrf(false);
		const later = await sendLetters(stub.credential, { options: { sendOnceKey: 'ssrf' } });
		protectFromSsrf(true);
		expect(later.error).toBeUndefined();
		expect(arrived(stub)).toHaveLength(1);
	});

	const token = 'a token';
	it.each<[string, () => Promise<{ message: string }>]>([
		[
			'the service',
			async () =>
				await testCredential(new SendLetter(), 'registeredDeliveryApiTest', stub.credential),
		],
		[
			'the receiver',
			async () =>
				await testCredential(new AwaitOutcome(), 'registeredDeliveryReceiverApiTest', {
					...{ receiverUrl: 'http://localhost:5680', managementToken: token },
				}),
		],
		[
			'n8n itself',
			async () =>
				await testCredential(new AwaitOutcome(), 'registeredDeliveryN8nApiTest', {
					...{ n8nUrl: 'http://127.0.0.1:5678', apiKey: token },
				}),
		],
	])('is named by the test of the credential for %s', async (_title, test) => {
		expect((await test()).message).toMatch(words);
	});
});
