// Text that PostgreSQL can't store, in whatever n8n or the service sends: every receiver stays ready.
import { ME, claimClient } from './claim-client.ts';
import { cleanUp, start } from './harness.ts';
import { STORES } from './store-environment.ts';

afterEach(cleanUp);

const ODD = ['a\0b', '\ud800', 'b\udc00a', '\0'];
const WHOLE = 'invoice 7';

describe.each(STORES)('$name', (kind) => {
	it('a pull, an event, a watch and a claim with any of it leave the receiver ready, and every list readable', async () => {
		const env = await kind.environment();
		const receiver = await start({
			env: { ...env, SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token-of-the-service' },
		});
		const claims = claimClient(receiver);
		for (const [n, odd] of ODD.entries()) {
			const filter = { statuses: [odd], fileReference: odd, customerReference: odd };
			const wants = { events: [odd, 'unknown', 'receiver.attention'], filter, batchSize: 1 };
			const pull = {
				wants,
				name: odd,
				node: odd,
				startFromNow: odd,
				settle: [{ batch: odd, outcome: 'term' as const, reason: odd }],
			};
			const key = `n8n~flow-${n}~node~production`;
			expect((await receiver.pull(pull, { key })).status).toBe(200);
			const [event, reference] = [odd, odd].map((one) => `${one}${WHOLE}`);
			const sent = { event, fileReference: reference, customerReference: odd, [odd]: odd };
			const posted = await receiver.emit({ ...sent, messageId: n, id: odd }, { 'x-event': 'x' });
			expect(posted.body).toEqual({ accepted: 1, duplicates: 0 });
			const letter = { fileReference: odd, customerReference: odd };
			const watched = await receiver.manage('PUT', `/watches/00000000000${n}`, letter);
			expect(watched.status).toBe(201);
			const answer = { messageId: '7', odd };
			await claims.sent(ME, `k${n}`, answer);
			expect(await claims.get(`k${n}`)).toMatchObject({ answer });
		}
		for (const path of ['/readyz', '/metrics']) {
			expect((await fetch(`${receiver.url}${path}`)).status).toBe(200);
		}
		for (const path of ['/consumers', '/events', '/batches', '/watches']) {
			expect((await receiver.manage('GET', path)).status).toBe(200);
		}
		const erased = await receiver.manage('DELETE', '/letters/000000000001');
		expect(erased.status).toBe(200);
		const [first] = await receiver.consumers();
		expect(first?.wants.filter?.fileReference).toBe('a\ufffdb');
	});
});
