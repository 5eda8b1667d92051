// What a sandbox knows after its process was killed: everything that anyone was told.
//
// KILLS=50 kills more often; KILL_SEED repeats a run.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';

import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { startPart } from '../../n8n/part-process.ts';
import { until } from '../../n8n/poll.ts';
import { serve } from '../../support/http-server.ts';
import { advance, call, control, form, letter, send, stateOf } from './client.ts';
import { PNG } from './images.ts';
import { ownSandbox } from './own.ts';

const KILLS = Number(process.env.KILLS ?? 4);
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000);
const DAY = 86_400_000;

jest.setTimeout(120_000 + KILLS * 10_000);

let folder: string;
beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'sandbox-killed-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const recipients = (count: number) =>
	Array.from({ length: count }, (_, index) => ({
		...letter().recipients[0],
		email: `r${index}@mail.example`,
	}));

const reseller = { as: 'reseller' };

/** Does nothing while no letter is scheduled; otherwise only a clock moved past its limits refuses. */
async function changeScheduled(
	sandbox: Sandbox,
	pick: <T>(of: T[]) => T | undefined,
	what: 'reschedule' | 'cancel',
	members: object,
): Promise<void> {
	const { messages } = (await stateOf(sandbox)) as {
		messages: Array<{ id: string; status: string }>;
	};
	const message = pick(messages.filter(({ status }) => status === 'SCHEDULED'));
	if (!message) return;
	const body = { ids: [message.id], ...members };
	const { status } = await call(sandbox, `/messages/bulk_${what}`, { body });
	expect([200, 400]).toContain(status);
}

/** Everything that changes a sandbox, as whoever can change it does. */
const CHANGES: Record<string, (sandbox: Sandbox, pick: <T>(of: T[]) => T | undefined) => unknown> =
	{
		send: (sandbox) => send(sandbox, letter({ type: 'AES', recipients: recipients(3) })),
		'first use of a certificate': (sandbox) =>
			send(sandbox, letter({ type: 'LRE' }), { certificate: true }),
		'send with a file': (sandbox) =>
			send(
				sandbox,
				form(
					['type', 'AES'],
					['body', 'x'],
					['recipients', JSON.stringify(recipients(1))],
					['attachments', new File(['content'], 'a.txt')],
				),
			),
		schedule: (sandbox) =>
			send(sandbox, letter({ scheduledAt: new Date(Date.now() + 5 * DAY).toISOString() })),
		reschedule: (sandbox, pick) =>
			changeScheduled(sandbox, pick, 'reschedule', {
				scheduledAt: new Date(Date.now() + 9 * DAY).toISOString(),
			}),
		'cancel a scheduled letter': (sandbox, pick) => changeScheduled(sandbox, pick, 'cancel', {}),
		async resend(sandbox, pick) {
			const { messages } = await stateOf(sandbox);
			const ids = [(pick(messages) as { id: string } | undefined)?.id];
			await call(sandbox, '/messages/resend', { body: { ids } });
		},
		async 'act on a message'(sandbox, pick) {
			const { messages } = await stateOf(sandbox);
			const { id } = (pick(messages) as { id: string } | undefined) ?? { id: '0' };
			await control(sandbox, `/messages/${id}/${pick(['deliver', 'open', 'accept', 'bounce'])}`);
		},
		consent: (sandbox) =>
			call(sandbox, '/consents/bulkStore', { body: { type: 'EMAIL', recipients: recipients(2) } }),
		async 'answer a consent'(sandbox, pick) {
			const { consents } = await stateOf(sandbox);
			const { id } = (pick(consents) as { id: string } | undefined) ?? { id: 'none' };
			await control(sandbox, `/consents/${id}/${pick(['accept', 'refuse'])}`);
		},
		async remind(sandbox, pick) {
			const { consents } = await stateOf(sandbox);
			const { id } = (pick(consents) as { id: string } | undefined) ?? { id: 'none' };
			await call(sandbox, `/consents/${id}/remind`, { method: 'POST' });
		},
		customers: (sandbox) =>
			call(sandbox, '/customers/bulk_store', {
				...reseller,
				body: {
					customers: [
						{ name: 'A', email: 'a@customers.example', isPaying: true, willSendLre: true },
					],
				},
			}),
		async 'answer of a customer'(sandbox, pick) {
			const { customers } = await stateOf(sandbox);
			const { id } = (pick(customers) as { id: string } | undefined) ?? { id: 'none' };
			await control(sandbox, `/customers/${id}/${pick(['accept', 'refuse', 'revoke', 'cancel'])}`);
		},
		async logo(sandbox, pick) {
			const { customers } = await stateOf(sandbox);
			const { id } = (pick(customers) as { id: string } | undefined) ?? { id: 'none' };
			const body = form(['logo', new File([new Uint8Array(PNG)], 'logo.png')]);
			const method = pick(['PUT', 'DELETE'])!;
			await call(sandbox, `/customers/${id}/logo`, {
				...reseller,
				method,
				...(method === 'PUT' ? { body } : {}),
			});
		},
		payment: (sandbox, pick) =>
			control(sandbox, '/accounts/direct/payment', {
				method: 'PUT',
				body: { accepted: pick([true, false]) },
			}),
		'identity verification': (sandbox, pick) =>
			control(sandbox, '/accounts/direct/kyc', {
				method: 'PUT',
				body: { valid: pick([true, false]) },
			}),
		account: (sandbox, pick) =>
			control(sandbox, '/accounts', {
				body: { name: pick(['one', 'two']), company: 'C', role: 'direct' },
			}),
		certificate: (sandbox) => control(sandbox, '/accounts/direct/certificates'),
		async 'age of a certificate'(sandbox, pick) {
			const { accounts } = await stateOf(sandbox);
			const { name, certificates } = pick(accounts) as {
				name: string;
				certificates: Array<{ fingerprint: string }>;
			};
			const path = `/accounts/${name}/certificates/${pick(certificates)?.fingerprint}`;
			const body = { firstUsedAt: new Date().toISOString() };
			await (pick([true, false])
				? control(sandbox, path, { method: 'PATCH', body })
				: control(sandbox, path, { method: 'DELETE' }));
		},
		'a letter placed': (sandbox) =>
			control(sandbox, '/letters', {
				body: { letters: [{ type: 'LS', email: 'a@mail.example' }] },
			}),
		advance: (sandbox) => advance(sandbox, 3 * DAY),
		'stop the clock': (sandbox, pick) =>
			control(sandbox, '/clock', { method: 'PUT', body: { frozen: pick([true, false]) } }),
		snapshot: (sandbox) => control(sandbox, '/snapshots/one', { method: 'PUT' }),
		restore: (sandbox) => control(sandbox, '/snapshots/one/restore'),
		reset: (sandbox) => control(sandbox, '/reset'),
	};

/** All that is kept, secrets too. */
async function keptBy(sandbox: Sandbox) {
	const { accounts: shown, customers, consents, messages, mails } = await stateOf(sandbox);
	const state = { shown, customers, consents, messages, mails };
	const { accounts } = (await control(sandbox, '/accounts', { method: 'GET' })).json;
	const { frozen } = (await control(sandbox, '/clock', { method: 'GET' })).json;
	return { state, accounts, frozen };
}

it(`whatever changed is there, as it was, with the folder of the moment (seed ${SEED})`, async () => {
	const steps = fc.array(fc.tuple(fc.constantFrom(...Object.keys(CHANGES)), fc.nat()), {
		minLength: 10,
		maxLength: 25,
	});
	await fc.assert(
		fc.asyncProperty(steps, async (chosen) => {
			await rm(folder, { recursive: true });
			const sandbox = await ownSandbox({ folder, deterministic: true });
			for (const [name, number] of chosen)
				await CHANGES[name]?.(sandbox, (of) => of[number % of.length]);
			const copy = `${folder}-copy`;
			try {
				// As a kill leaves it, except for the locks of a process that lives.
				await cp(folder, copy, {
					recursive: true,
					filter: (path) => !/(lock|holder)\./.test(path),
				});
				const before = await keptBy(sandbox);
				await sandbox.close();
				const other = await ownSandbox({ folder: copy, deterministic: true });
				expect(await keptBy(other)).toEqual(before);
				await other.close();
			} finally {
				await rm(copy, { recursive: true, force: true });
			}
		}),
		{ numRuns: 10, seed: SEED, endOnFailure: true },
	);
});

it(`killed under load, it loses no answer and gives no id twice (seed ${SEED})`, async () => {
	const given = new Set<string>();
	const twice: string[] = [];
	const give = (id: string) => (given.has(id) ? twice.push(id) : given.add(id));
	const webhooks = new Map<string, string>();
	const listener = await serve((request, response) => {
		void json(request).then((body) => {
			for (const event of [body].flat() as Array<{ id: string }>) {
				const text = JSON.stringify(event);
				// Repeated after a kill it may be, under its id; another under that id there is not.
				if ((webhooks.get(event.id) ?? text) !== text) twice.push(event.id);
				webhooks.set(event.id, text);
			}
			response.end();
		});
	});
	const options = {
		folder,
		deterministic: true,
		automatic: true,
		deliveryDelayMs: 20,
		openDelayMs: 20,
		webhooks: [{ url: `${listener.url}/`, secret: 'secret-of-the-test' }],
	};
	/** What was answered: the reference of each request, and the letters it became. */
	const answered = new Map<string, string[]>();
	const [moments] = fc.sample(
		fc.array(fc.integer({ min: 50, max: 900 }), { minLength: KILLS, maxLength: KILLS }),
		{ numRuns: 1, seed: SEED },
	);
	try {
		let number = 0;
		for (const moment of moments ?? []) {
			const part = await startPart({ part: 'sandbox', options });
			const sandbox = part.started as unknown as Sandbox;
			let isDead = false;
			const client = async () => {
				while (!isDead) {
					const fileReference = `request-${++number}`;
					const body = letter({ type: 'AES', fileReference, recipients: recipients(3) });
					const answer = await send(sandbox, body).catch(() => null);
					if (answer?.status !== 201) continue;
					const ids = answer.json.messages.map(({ id }: { id: string }) => id) as string[];
					answered.set(fileReference, ids);
					ids.forEach(give);
				}
			};
			const before = answered.size;
			const clients = Array.from({ length: 4 }, client);
			// A busy machine may take longer than a moment for the first one.
			await until('an answer', async () => answered.size > before);
			await sleep(moment);
			await part.kill();
			isDead = true;
			await Promise.all(clients);
		}
		const after = await ownSandbox({ ...options, automatic: false, webhooks: [] });
		const { messages } = await stateOf(after);
		const found = Map.groupBy(
			messages as Array<{ id: string; fileReference: string }>,
			(one) => one.fileReference,
		);
		expect(answered.size).toBeGreaterThanOrEqual(KILLS);
		for (const [reference, ids] of answered)
			expect(found.get(reference)?.map(({ id }) => id)).toEqual(ids);
		// All of a request or nothing, also of one without an answer.
		expect(new Set([...found.values()].map(({ length }) => length))).toEqual(new Set([3]));
		for (const text of webhooks.values()) {
			const { messageId } = JSON.parse(text) as { messageId: string };
			expect(messages).toContainEqual(expect.objectContaining({ id: messageId }));
		}
		expect(twice).toEqual([]);
	} finally {
		await listener.close();
	}
});
