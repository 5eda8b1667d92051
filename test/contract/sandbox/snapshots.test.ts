import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import {
	accountOf,
	advance,
	call,
	control,
	form,
	person,
	send,
	sendOne,
	stateOf,
	statusOf,
} from './client.ts';
import { PNG } from './images.ts';
import { ownSandbox } from './own.ts';

const save = (sandbox: Sandbox, name: string) =>
	control(sandbox, `/snapshots/${name}`, { method: 'PUT' });
const restore = (sandbox: Sandbox, name: string) => control(sandbox, `/snapshots/${name}/restore`);

async function sendFile(sandbox: Sandbox): Promise<string> {
	const file = new File(['contract'], 'contract.txt', { type: 'text/plain' });
	const answer = await send(
		sandbox,
		form(
			['type', 'AES'],
			['body', '<p>Hello</p>'],
			['recipients[0].email', 'never@mail.example'],
			['recipients[0].firstname', 'Ada'],
			['recipients[0].lastname', 'Lovelace'],
			['attachments', file],
		),
	);
	return answer.json.messages[0].id;
}

/** Everything that a snapshot has, so not the journal. */
async function kept(sandbox: Sandbox) {
	const { webhooks, ...state } = await stateOf(sandbox);
	delete state.requests;
	const get = async (path: string) => (await control(sandbox, path, { method: 'GET' })).json;
	return {
		...state,
		endpoints: webhooks.endpoints,
		secrets: await get('/accounts'),
		faults: await get('/faults'),
	};
}

it('brings everything back, time and faults too, but not the journal', async () => {
	const sandbox = await ownSandbox({ deterministic: true });
	await control(sandbox, '/clock', {
		method: 'PUT',
		body: { now: '2031-05-05T05:05:05.000Z', frozen: true },
	});
	const letters = ['never', 'open', 'bounce'].map((local) => ({
		type: 'AES',
		email: `${local}@mail.example`,
		happens: ['deliver'],
	}));
	await control(sandbox, '/letters', { body: { letters } });
	await control(sandbox, '/accounts', { body: { name: 'new', company: 'New', role: 'direct' } });
	await control(sandbox, '/accounts/direct/payment', { method: 'PUT', body: { accepted: false } });
	await control(sandbox, '/faults', {
		body: { faults: [{ path: '/nowhere', times: 3, fault: { kind: 'delay', ms: 1 } }] },
	});
	await control(sandbox, '/rate-limit', { method: 'PUT', body: { requests: 1000, seconds: 9 } });
	const webhooks = [{ url: 'http://localhost:9/', secret: 's' }];
	await control(sandbox, '/webhooks', { method: 'PUT', body: { webhooks } });
	const before = await kept(sandbox);
	const { json } = await save(sandbox, 'base');
	expect(json).toEqual({ name: 'base', now: before.now, messages: 3 });
	const next = await sendOne(sandbox, {});

	await control(sandbox, '/reset');
	await sendOne(sandbox, { fileReference: 'later' });
	expect((await restore(sandbox, 'base')).status).toBe(200);
	expect(await kept(sandbox)).toEqual(before);
	expect((await stateOf(sandbox)).requests).toEqual([]);
	// It goes on just as it did the first time.
	expect(await sendOne(sandbox, {})).toBe(next);
	await restore(sandbox, 'base');
	expect(await kept(sandbox)).toEqual(before);
});

it('what was scheduled happens at its time, and what is under way goes on', async () => {
	const sandbox = await ownSandbox({ automatic: true, deliveryDelayMs: 3_600_000 });
	const scheduledAt = new Date(Date.now() + 2 * 86_400_000).toISOString();
	const held = await sendOne(sandbox, { scheduledAt });
	const sent = await sendOne(sandbox, { type: 'AES', ...person('never') });
	await save(sandbox, 'before');
	await advance(sandbox, 3 * 86_400_000);
	expect([await statusOf(sandbox, held), await statusOf(sandbox, sent)]).toEqual([
		'RECEIVED',
		'RECEIVED',
	]);
	await restore(sandbox, 'before');
	expect([await statusOf(sandbox, held), await statusOf(sandbox, sent)]).toEqual([
		'SCHEDULED',
		'SENT',
	]);
	await advance(sandbox, 3 * 86_400_000);
	expect([await statusOf(sandbox, held), await statusOf(sandbox, sent)]).toEqual([
		'RECEIVED',
		'RECEIVED',
	]);
});

it('keeps the files of letters and customers that the world has no longer', async () => {
	const sandbox = await ownSandbox();
	const id = await sendFile(sandbox);
	await control(sandbox, `/messages/${id}/deliver`);
	const reseller = { as: 'reseller', method: 'PUT' };
	const path = `/customers/${accountOf(sandbox, 'reseller').customers[0]!.id}/logo`;
	const setLogo = async () => {
		const body = form(['logo', new File([new Uint8Array(PNG)], 'logo.png')]);
		return (await call(sandbox, path, { ...reseller, body })).json.logoUrl as string;
	};
	const former = await setLogo();
	await save(sandbox, 'files');
	await setLogo();
	expect((await call(sandbox, former, { as: null })).status).not.toBe(200);
	await control(sandbox, '/reset');
	for (let time = 0; time < 2; time++) {
		await restore(sandbox, 'files');
		const [mail] = (await stateOf(sandbox)).mails;
		const download = await call(sandbox, mail.links[0].path, { as: null });
		expect(download.bytes.toString()).toBe('contract');
		expect((await call(sandbox, former, { as: null })).bytes).toEqual(Buffer.from(PNG));
		await setLogo();
	}
});

it('is replaced under its name; what was never saved is not there', async () => {
	const sandbox = await ownSandbox();
	await save(sandbox, 'one');
	await sendOne(sandbox, {});
	expect((await save(sandbox, 'one')).json.messages).toBe(1);
	await control(sandbox, '/reset');
	await restore(sandbox, 'one');
	expect((await stateOf(sandbox)).messages).toHaveLength(1);
	expect((await restore(sandbox, 'two')).status).toBe(404);
	expect((await save(sandbox, 'x'.repeat(101))).status).toBe(404);
});

it('a reset in the middle of a restore leaves every file of the world that is there in the end', async () => {
	const sandbox = await ownSandbox();
	const ids = await Promise.all(Array.from({ length: 20 }, () => sendFile(sandbox)));
	for (const id of ids) await control(sandbox, `/messages/${id}/deliver`);
	await save(sandbox, 'base');
	const mails = (await stateOf(sandbox)).mails as Array<{ links: Array<{ path: string }> }>;
	for (let steps = 0; steps < 20; steps++) {
		await restore(sandbox, 'base');
		const restored = restore(sandbox, 'base');
		// As far as the restore gets in the meantime, which reads files too.
		for (let step = 0; step < steps; step++) await stat(tmpdir());
		await Promise.all([control(sandbox, '/reset'), restored]);
		if ((await stateOf(sandbox)).messages.length === 0) continue;
		const files = mails.map(({ links: [link] }) => call(sandbox, link!.path, { as: null }));
		for (const { status } of await Promise.all(files)) expect(status).toBe(200);
	}
});
