import { useSandbox } from '../../../sandbox/src/testing/jest.ts';
import { accountOf, call, letter, send, sendOne } from './client.ts';

const LRE = letter({ type: 'LRE' });

const sandbox = useSandbox({ automatic: false });

const refused = expect.objectContaining({ code: 'lre-must-use-mtls' });

it('[TYPE-01][AUTH-03][AUTH-04][S] sends LRE with the registered certificate, not with a token alone', async () => {
	const alone = await send(sandbox, LRE);
	expect([alone.status, alone.json]).toEqual([405, refused]);
	expect((await send(sandbox, LRE, { certificate: true })).status).toBe(201);
});

it('[TYPE-01][S] says 405 also when other things are wrong with the LRE', async () => {
	const { status } = await send(sandbox, { type: 'LRE' });
	expect(status).toBe(405);
});

it('[AUTH-03][TYPE-02][S] refuses a certificate that is not registered with the account', async () => {
	const { certificate, key } = accountOf(sandbox, 'reseller');
	if (!certificate || !key) throw new Error('the reseller has a certificate');
	for (const as of ['direct', 'token-only']) {
		const { status, json } = await send(sandbox, LRE, { as, certificate: { certificate, key } });
		expect([status, json]).toEqual([405, refused]);
		expect(json.message).toContain('not registered');
	}
});

it('[SEND-10][S] a reseller sends LRE from its own account, never for a customer', async () => {
	const { customers } = accountOf(sandbox, 'reseller');
	const sender = customers.find(({ state }) => state === 'ACCEPTED')?.id;
	const options = { as: 'reseller', certificate: true };
	expect((await send(sandbox, LRE, options)).status).toBe(201);
	expect((await send(sandbox, { ...LRE, sender }, options)).status).toBe(422);
});

it('[READ-05][S] reads with the token alone and with a certificate', async () => {
	const id = await sendOne(sandbox, {});
	for (const certificate of [false, true])
		expect((await call(sandbox, `/messages/${id}`, { certificate })).status).toBe(200);
});
