// Await Consent whoever follows, in n8n's own engine and against the sandbox. What only a whole n8n can show stands in
// test/real-n8n/await-consent.test.ts.
import { AwaitConsent } from '../../nodes/AwaitConsent/AwaitConsent.node.ts';
import { RequestConsent } from '../../nodes/RequestConsent/RequestConsent.node.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import {
	cleanUp,
	later,
	start as startReceiver,
	TOKEN as managementToken,
	until,
} from '../contract/receiver/harness.ts';
import { runNode, watchWarnings, type InputItem } from '../support/n8n-core.ts';
import { searchList, searchOf } from '../support/picker.ts';
import {
	byN8n,
	byReceiver,
	sandboxState,
	serviceCredential,
	startStrictSandbox,
	type Fault,
	type FaultRule,
} from '../support/sandbox.ts';
import { watchingAt } from './services.ts';
import {
	errorOf,
	goneOn as ended,
	isAsleep,
	left,
	originsOf,
	SleepingN8n,
	untilAsleep,
	waitOf,
	type Execution,
	type StartOptions,
} from './sleeping-n8n.ts';

export let sandbox: Sandbox;
export let receiver: Awaited<ReturnType<typeof startReceiver>>;
export let n8n: SleepingN8n;
let followBy: 'receiver' | 'n8n';
/** Of the clock, in milliseconds. */
let second: number;

/** Starts what a file needs, and has the cases that are the same whoever follows. */
export function awaitConsentBy(who: typeof followBy, ofClock: number): void {
	followBy = who;
	second = ofClock;
	jest.setTimeout(120_000);

	beforeAll(async () => {
		sandbox = await startStrictSandbox();
		later(() => sandbox.close());
		if (who === 'receiver') {
			const watching = watchingAt(serviceCredential(sandbox, 'direct'));
			receiver = await startReceiver({ env: { ...watching, WATCH_RATE_LIMIT: '6000' } });
		}
		n8n = await SleepingN8n.start(new AwaitConsent());
		later(() => n8n.close());
	});

	// A wait that is not over, or whose wake-up is to come again, would keep this process asking.
	afterEach(async () => {
		n8n.instead = null;
		if (who === 'receiver') await endWaits();
		n8n.executions.clear();
	});

	afterAll(async () => {
		// Or n8n would go on to ask a receiver that is gone.
		if (who === 'receiver') await receiver.untilHeld();
		await cleanUp();
	});

	asking();
	askedBefore();
	reminding();
}

export async function endWaits(): Promise<void> {
	const waitIds = [...n8n.executions.values()].flatMap((one) => waitOf(one)?.waitId ?? []);
	for (const waitId of waitIds) await receiver.manage('DELETE', `/waits/${waitId}`);
}

let last = 0;

/** Contacts that nobody knows yet. */
export const contacts = (...names: string[]): InputItem[] =>
	names.map((name) => ({
		json: {
			name,
			email: `${name}${++last}@contacts.example`,
			firstname: name,
			lastname: 'Martin',
		},
	}));

const emailOf = ({ json }: InputItem) => String(json?.email);

export const credentials = (change: object = {}) => ({
	registeredDeliveryApi: serviceCredential(sandbox, 'direct', {
		...(followBy === 'n8n'
			? byN8n(n8n.url, n8n.apiKey)
			: byReceiver(receiver.url, managementToken)),
		...change,
	}),
});

/** Nobody there, neither a receiver nor n8n. */
const AWAY = { receiverUrl: 'http://127.0.0.1:9', n8nUrl: 'http://127.0.0.1:9' };

const DEFAULTS = { recipientsFrom: 'item', deadlineAmount: 1, deadlineUnit: 'hours' };

export async function run({ parameters, ...options }: Partial<StartOptions>): Promise<Execution> {
	return await n8n.run({
		credentials: credentials(),
		...options,
		parameters: { ...DEFAULTS, ...parameters },
	});
}

export const asleep = async (options: Partial<StartOptions>) => await untilAsleep(run(options));

export const consentsOf = async (item: InputItem) => {
	const { consents } = await sandboxState(sandbox);
	return consents.filter(({ contact }) => contact.email === emailOf(item));
};
const idOf = async (...items: InputItem[]) =>
	(await Promise.all(items.map(consentsOf))).flat()[0].id;
export const mailsTo = async (item: InputItem) => {
	const { mails } = await sandboxState(sandbox);
	return mails.filter(({ to }) => to === emailOf(item)).map(({ subject }) => subject);
};
export const answer = async (item: InputItem, word: 'accept' | 'refuse') => {
	const consent = (await consentsOf(item)).at(-1);
	await sandbox.control('POST /consents/{id}/{answer}', { id: consent!.id, answer: word });
};

/** Asks as Request Consent does. */
export async function ask(item: InputItem, type = 'EMAIL', more: object = {}) {
	const { items, error } = await runNode(new RequestConsent(), {
		items: [item],
		parameters: { operation: 'create', type, recipientsFrom: 'item', ...more },
		credentials: { registeredDeliveryApi: serviceCredential(sandbox, 'direct') },
	});
	if (error) throw error;
	return items[0].json as { id: string; consentUrl: string };
}

export const brief = (execution: Execution) =>
	left(execution).map(([output, { json, pairedItem }]) => [
		output,
		json.name,
		(json.outcome as { outcome?: unknown } | undefined)?.outcome,
		(pairedItem as { item: number }).item,
	]);

/** As long as the deadline usually is. Time is not set back: much was stored by then. */
function hourPasses(): void {
	const { now } = Date;
	Date.now = () => now() + 3_600_000;
}

/** So many seconds as days. */
export const days = (seconds: number) => (seconds * second) / 86_400_000;

function asking(): void {
	describe('asking', () => {
		it('[CONS-01][N] asks each by e-mail, sleeps, and each leaves by its answer', async () => {
			const items = contacts('ada', 'ben');
			const [ada, ben] = items;
			ben.files = { data: { name: 'b.txt', type: 'text/plain', content: Buffer.from('Of Ben') } };
			const options = { delayInDays: 0 };
			const execution = await asleep({ items, parameters: { options } });
			for (const one of items) {
				const asked = { type: 'EMAIL', state: 'PENDING', ...options };
				expect(await consentsOf(one)).toMatchObject([asked]);
				expect(await mailsTo(one)).toHaveLength(1);
			}
			await answer(ben, 'accept');
			await answer(ada, 'refuse');
			await ended(execution);
			expect(brief(execution)).toEqual([
				['Accepted', 'ben', 'accepted', 1],
				['Refused', 'ada', 'refused', 0],
			]);
			expect(left(execution).map(([, { binary }]) => binary?.data.fileName)).toEqual([
				'b.txt',
				undefined,
			]);
			const [consent] = await consentsOf(ben);
			const { outcome, ...kept } = left(execution)[0][1].json;
			expect(kept).toEqual(ben.json);
			const { occurredAt, ...rest } = outcome as Record<string, unknown>;
			expect(rest).toEqual({
				consentId: consent.id,
				outcome: 'accepted',
				status: 'ACCEPTED',
				reason: 'accepted',
				event: 'consent.accepted',
				eventId: followBy === 'n8n' ? null : expect.stringMatching(/^evt_/),
			});
			// Nobody knows when something was answered that was so at the first look, which n8n may take after it.
			if (followBy === 'receiver') expect(occurredAt).toEqual(expect.any(String));
		});

		it('whoever has not answered by the deadline leaves by No Answer', async () => {
			const items = contacts('ada', 'ben');
			const execution = await asleep({ items });
			await answer(items[0], 'accept');
			if (followBy === 'receiver') {
				const wait = `/waits/${waitOf(execution)?.waitId}`;
				await until(
					async () =>
						JSON.stringify((await receiver.manage('GET', wait)).body).includes('"accepted"'),
					'the receiver to know the answer',
				);
			}
			hourPasses();
			// A receiver, whose timers are the machine's, looks at the clock for it.
			await asleep({ items: contacts('cleo') });
			await ended(execution);
			expect(brief(execution)).toEqual([
				['Accepted', 'ada', 'accepted', 0],
				['No Answer', 'ben', 'none', 1],
			]);
		});

		it('a contact of several items is asked once, however spelled, and all of them leave', async () => {
			const [ada] = contacts('ada').map(({ json }) => ({
				json: { ...json, email: `zoë.${json?.email}`.replace('contacts.', 'bücher.') },
			}));
			const other = emailOf(ada)
				.toUpperCase()
				.normalize('NFD')
				.replace('BU\u0308CHER', 'xn--bcher-kva');
			const again = { json: { ...ada.json, name: 'again', email: other } };
			const execution = await asleep({ items: [ada, again] });
			expect(await consentsOf(ada)).toHaveLength(1);
			expect(await consentsOf(again)).toHaveLength(0);
			await answer(ada, 'accept');
			await ended(execution);
			expect(brief(execution)).toEqual([
				['Accepted', 'ada', 'accepted', 0],
				['Accepted', 'again', 'accepted', 1],
			]);
		});
	});
}

function askedBefore(): void {
	describe('who was asked before', () => {
		it('[CONS-07][N] who has consented leaves at once, without being asked, without a receiver', async () => {
			const [ada] = contacts('ada');
			await ask(ada, 'MANUAL', { state: 'ACCEPTED' });
			const away = credentials(AWAY);
			const execution = await run({ items: [ada], credentials: away });
			expect(isAsleep(execution)).toBe(false);
			expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
			expect(await consentsOf(ada)).toHaveLength(1);
		});

		it('who has consented is known by any spelling of the address', async () => {
			const [ada] = contacts('ada');
			const spelled = (email: string) => ({ json: { ...ada.json, email } });
			const known = `zoë.${emailOf(ada)}`.replace('contacts.', 'bücher.');
			await ask(spelled(known), 'MANUAL', { state: 'ACCEPTED' });
			const other = spelled(known.normalize('NFD').replace('bu\u0308cher', 'xn--bcher-kva'));
			const execution = await run({ items: [other], credentials: credentials(AWAY) });
			expect(isAsleep(execution)).toBe(false);
			expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
		});

		it('who was asked and has not answered is awaited, and not asked twice', async () => {
			const [ada] = contacts('ada');
			await ask(ada);
			const execution = await asleep({ items: [ada] });
			expect(await mailsTo(ada)).toHaveLength(1);
			await answer(ada, 'accept');
			await ended(execution);
			expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
		});

		it('two workflows that ask a contact at the same time send one mail, and both learn the answer', async () => {
			const [ada] = contacts('ada');
			const again = { json: { ...ada.json, email: emailOf(ada).toUpperCase() } };
			const both = await Promise.all([
				asleep({ items: [ada] }),
				asleep({ items: [again], workflowId: 'workflow2' }),
			]);
			expect([...(await mailsTo(ada)), ...(await mailsTo(again))]).toHaveLength(1);
			const id = await idOf(ada, again);
			await sandbox.control('POST /consents/{id}/{answer}', { id, answer: 'accept' });
			for (const one of both) {
				await ended(one);
				expect(brief(one)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
			}
		});

		it('who has refused leaves at once by Refused, unless they are to be asked again', async () => {
			const [ada] = contacts('ada');
			const first = await asleep({ items: [ada] });
			await answer(ada, 'refuse');
			await ended(first);
			expect(brief(await run({ items: [ada] }))).toEqual([['Refused', 'ada', 'refused', 0]]);
			expect(await consentsOf(ada)).toHaveLength(1);
			const options = { askAgainAfterRefusal: true };
			const execution = await asleep({ items: [ada], parameters: { options } });
			expect(await consentsOf(ada)).toHaveLength(2);
			await answer(ada, 'accept');
			await ended(execution);
			expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
		});

		it('all are paired with their own items, and where nobody wakes them with no other', async () => {
			const [ada, ben] = contacts('ada', 'ben');
			await ask(ben, 'MANUAL', { state: 'ACCEPTED' });
			const [woken, timedOut] = [
				await asleep({ items: [ada, ben] }),
				await asleep({ items: [ada, ben] }),
			];
			await n8n.timeOut(timedOut);
			expect(brief(timedOut).map(([output, name]) => [output, name])).toEqual([
				['Accepted', 'ben'],
				['No Answer', 'ada'],
			]);
			expect(originsOf(timedOut)).toEqual([expect.any(Error), 'ada']);
			await answer(ada, 'refuse');
			await ended(woken);
			expect(originsOf(woken)).toEqual(['ben', 'ada']);
		});

		it('a link of before is offered and awaited, and nobody is asked', async () => {
			const [ada] = contacts('ada');
			const { id } = await ask(ada, 'LINK');
			const parameters = { askBy: 'request', consentId: id.toUpperCase() };
			const execution = await asleep({ items: [ada], parameters });
			expect(await mailsTo(ada)).toEqual([]);
			const method = searchOf(n8n.node, 'consentId');
			const listed = await searchList(n8n.node, method, credentials(), { filter: emailOf(ada) });
			expect(listed.results).toMatchObject([{ value: id }]);
			await answer(ada, 'accept');
			await ended(execution);
			expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
			expect(brief(await run({ items: [ada], parameters }))).toEqual(brief(execution));
		});

		it('[CONS-07][N] the answer counts that is given to a newer request', async () => {
			const [ada] = contacts('ada');
			const { id } = await ask(ada, 'LINK');
			const execution = await asleep({
				items: [ada],
				parameters: { askBy: 'request', consentId: id },
			});
			expect((await ask(ada)).id).not.toBe(id);
			await answer(ada, 'refuse');
			await ended(execution);
			expect(brief(execution)).toEqual([['Refused', 'ada', 'refused', 0]]);
		});

		it('all leave together by the worst, if wanted', async () => {
			const [ada, ben] = contacts('ada', 'ben');
			await ask(ben, 'MANUAL', { state: 'ACCEPTED' });
			const options = { routeItems: 'all' };
			const execution = await asleep({ items: [ada, ben], parameters: { options } });
			await answer(ada, 'refuse');
			await ended(execution);
			expect(brief(execution)).toEqual([
				['Refused', 'ada', 'refused', 0],
				['Refused', 'ben', 'accepted', 1],
			]);
		});

		it('a consent that is not listed, or none at all, is said', async () => {
			const items = contacts('ada');
			const unknown = { askBy: 'request', consentId: crypto.randomUUID() };
			expect(errorOf(await run({ items, parameters: unknown }))?.message).toMatch(
				/^Consent: The service lists no consent/,
			);
			const wrong = { askBy: 'request', consentId: '12' };
			expect(errorOf(await run({ items, parameters: wrong }))?.message).toMatch(
				/^Consent: "12" is not a consent ID/,
			);
		});
	});
}

function reminding(): void {
	describe('reminders', () => {
		it('[CONS-08][N] who has not answered is reminded while the execution sleeps on', async () => {
			const items = contacts('ada', 'ben', 'cleo');
			const [ada, ben, cleo] = items;
			const { id } = await ask(cleo, 'LINK');
			const options = { remindAfterDays: days(5), reminders: 2 };
			const execution = await asleep({ items, parameters: { options } });
			await answer(ada, 'accept');
			await until(async () => (await mailsTo(ben)).length === 3, 'Ben to be reminded twice');
			expect(await mailsTo(ben)).toEqual([
				expect.not.stringContaining('Reminder'),
				expect.stringContaining('Reminder'),
				expect.stringContaining('Reminder'),
			]);
			expect([await mailsTo(ada), await mailsTo(cleo)]).toMatchObject([{ length: 1 }, []]);
			const { requests } = await sandboxState(sandbox);
			expect(requests.map(({ path }) => path)).not.toContain(`/consents/${id}/remind`);
			await answer(ben, 'refuse');
			await answer(cleo, 'accept');
			await ended(execution);
			expect(brief(execution)).toEqual([
				['Accepted', 'ada', 'accepted', 0],
				['Accepted', 'cleo', 'accepted', 2],
				['Refused', 'ben', 'refused', 1],
			]);
			// By each reminder, and by the answer.
			expect(execution.resumed).toBe(3);
		});

		const remindFault = async (status: number, more: object = {}, id = '*') => {
			const fault: Fault = { kind: 'status', status, ...more };
			const rule: FaultRule = { method: 'POST', path: `/consents/${id}/remind`, times: 1, fault };
			await sandbox.control('POST /faults', { faults: [rule] });
		};

		it('a service that wants none for one now is asked again for that one', async () => {
			const [ada, ben] = contacts('ada', 'ben');
			const { id } = await ask(ben);
			const options = { remindAfterDays: days(12), reminders: 2 };
			// Longer than a request waits by itself.
			await remindFault(429, { retryAfter: 600 }, id);
			const execution = await asleep({ items: [ada, ben], parameters: { options } });
			await until(async () => (await mailsTo(ben)).length === 3, 'both reminders');
			expect(await mailsTo(ada)).toHaveLength(3);
			for (const one of [ada, ben]) await answer(one, 'accept');
			await ended(execution);
			expect(brief(execution)).toEqual([
				['Accepted', 'ada', 'accepted', 0],
				['Accepted', 'ben', 'accepted', 1],
			]);
		});

		it.each([
			['refuses', 422, 'was not reminded. '],
			['may have sent', 503, 'may not have been reminded. Outcome unknown: '],
		])('one that the service %s costs nobody the answer', async (_, status, became) => {
			const [ada] = contacts('ada');
			const options = { remindAfterDays: days(3) };
			const warnings = watchWarnings();
			await remindFault(status, { code: 'consent-cannot-be-reminded' });
			const execution = await asleep({ items: [ada], parameters: { options } });
			await until(() => execution.resumed > 0 && isAsleep(execution), 'it to wait on');
			await answer(ada, 'accept');
			await ended(execution);
			expect(await mailsTo(ada)).toHaveLength(1);
			expect(brief(execution)).toEqual([['Accepted', 'ada', 'accepted', 0]]);
			const [{ id }] = await consentsOf(ada);
			const told = warnings.filter((warning) => warning.includes('reminded'));
			expect(told).toEqual([expect.stringContaining(`Consent ${id}: its contact ${became}`)]);
			// Reminders are no rows of the node.
			expect(told[0]).not.toMatch(/row \d/i);
		});
	});
}
