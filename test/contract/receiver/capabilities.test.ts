// What the receiver can do beside taking in events and handing them out can be left out: with none of it, with
// each alone, and without each, an event comes in and goes out.
import { CAPABILITIES } from '../../../webhook-receiver/src/server.ts';
import { KEY, cleanUp, start, temporaryFolder } from './harness.ts';

afterEach(cleanUp);

const SERVICE = { SERVICE_URL: 'http://127.0.0.1:9', SERVICE_TOKEN: 'token-of-the-service' };

/** What a capability answers, and nothing else does. */
const ANSWERS: Record<string, [method: string, path: string, status: number] | null> = {
	health: ['GET', '/readyz', 200],
	history: ['GET', '/batches', 200],
	watching: ['GET', '/watches/service', 200],
	waits: ['GET', '/waits', 200],
	claims: ['GET', '/claims', 200],
	letters: ['GET', '/letters/summary', 200],
	attention: ['GET', '/attention', 200],
	erasure: ['DELETE', '/letters/000000000001', 200],
	retention: null,
	metrics: ['GET', '/metrics', 200],
	backup: ['GET', '/backup', 200],
	page: ['GET', '/page/style.css', 200],
	renewal: null,
};
const NAMES = CAPABILITIES.map(({ name }) => name);

it.each([
	['none', []],
	...NAMES.map((name): [string, string[]] => [name, [name]]),
	...NAMES.map((name): [string, string[]] => [
		`all but ${name}`,
		NAMES.filter((other) => other !== name),
	]),
	['all', NAMES],
])('an event passes with %s', async (_, names) => {
	const capabilities = CAPABILITIES.filter(({ name }) => names.includes(name));
	const { emit, pull, pulled, manage, url } = await start({
		env: SERVICE,
		dependencies: { capabilities },
	});
	await pull();
	await emit({ event: 'aes_sent', messageId: 1 });
	const { batches, watching } = await pulled();
	expect(batches).toMatchObject([{ events: [{ type: 'tracked_mail.sent' }] }]);
	expect(watching).toBe(names.includes('watching'));
	await pull({ settle: [{ batch: String(batches[0]?.id), outcome: 'ack' }], leaving: true });
	expect((await manage('GET', '/consumers')).body.data).toMatchObject([{ queued: 0, inHand: 0 }]);
	expect((await manage('DELETE', `/consumers/${KEY}`)).status).toBe(204);
	for (const name of NAMES) {
		const [method, path, status] = ANSWERS[name] ?? ['GET', `/none/${name}`, 404];
		const answer = await fetch(`${url}${path}`, {
			method,
			headers: { authorization: 'Bearer management-token-of-tests' },
		});
		expect([path, answer.status]).toEqual([path, names.includes(name) ? status : 404]);
	}
});

it('the book that is added later counts the letters of before', async () => {
	const folder = temporaryFolder();
	const without = CAPABILITIES.filter(({ name }) => name !== 'letters');
	const before = await start({ folder, dependencies: { capabilities: without } });
	await before.emit({ event: 'aes_sent', messageId: 1 });
	await before.close();
	const { emit, manage } = await start({ folder });
	await emit({ event: 'aes_undelivered', messageId: 1 });
	await emit({ event: 'aes_sent', messageId: 2 });
	const { body } = await manage('GET', '/letters/summary');
	expect(body).toEqual({ total: 2, outcomes: { undelivered: 1, open: 1 } });
});
