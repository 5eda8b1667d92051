// What receiver and pack take from each other: every limit, on both of its sides.
import type { z } from 'zod/v4';
import { usedForSchema } from '../../../webhook-receiver/src/core/used-for.ts';
import {
	LARGEST_ANSWER,
	MOST_CLAIMS,
	claimChangeSchema,
	claimKeySchema,
	claimSchema,
	claimsSchema,
} from '../../../webhook-receiver/src/core/claim-contract.ts';
import {
	MOST_WATCHES_AT_ONCE,
	attentionSchema,
	consentIdSchema,
	eventSchema,
	filterSchema,
	messageIdSchema,
	watchViewSchema,
	watchSchema,
	watchesSchema,
} from '../../../webhook-receiver/src/core/event-contract.ts';
import {
	batchSchema,
	consumerKeySchema,
	instanceOf,
	pullAnswerSchema,
	pullSchema,
	settlementSchema,
	consumerViewSchema,
	wakeUpSchema,
	wantsSchema,
} from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	MOST_AWAITED,
	awaitedOutcomeSchema,
	registeredWaitSchema,
	resumeSchema,
	waitViewSchema,
	waitIdSchema,
	waitSchema,
	wakeUpAnswerSchema,
	wakeUpBodySchema,
} from '../../../webhook-receiver/src/core/wait-contract.ts';

const TIME = '2026-01-31T09:30:00.000Z';
const ID = '000000000123';
const CONSENT = '3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a';
const GONE = Symbol('left out');

type Change = Record<string, unknown>;
type Example = Record<string, unknown>;

/** The example with some members changed, or left out. */
function changed(example: Example, change: Change): Example {
	const all = Object.entries({ ...example, ...change });
	return Object.fromEntries(all.filter(([, value]) => value !== GONE));
}

/** Tells of a schema what it takes and what it refuses, each time by a change of an example that is right. */
function takes(
	name: string,
	schema: z.ZodType,
	example: Example,
	{ right, wrong }: { right: Change[]; wrong: Change[] },
) {
	describe(name, () => {
		it('takes the example as it is', () => {
			expect(schema.parse(example)).toMatchObject(example);
		});
		it.each(right.map((change) => [change]))('takes %j', (change) => {
			expect(schema.safeParse(changed(example, change)).error?.issues).toBeUndefined();
		});
		it.each(wrong.map((change) => [shown(change), change]))('refuses %s', (_, change) => {
			expect(schema.safeParse(changed(example, change)).success).toBe(false);
		});
	});
}

/** Without what is too long for a title. */
function shown(change: Change): string {
	return JSON.stringify(change, (_, value) => (value === GONE ? 'nothing' : value)).slice(0, 60);
}

/** Each of these members left out. */
const without = (...names: string[]) => names.map((name) => ({ [name]: GONE }));
const nulls = (...names: string[]) => names.map((name) => ({ [name]: null }));
const each = (name: string, ...values: unknown[]) => values.map((value) => ({ [name]: value }));

it.each<[string, z.ZodType, string[], string[]]>([
	[
		'the key of a claim',
		claimKeySchema,
		['a', 'Az09._~-', 'k'.repeat(200)],
		['', 'k'.repeat(201), 'a b', 'a/b', 'é'],
	],
	[
		'the name of a wait',
		waitIdSchema,
		['w'.repeat(16), `${'w'.repeat(195)}.12~_`, 'AZaz09._~-AZaz09'],
		['w'.repeat(15), 'w'.repeat(201), `${'w'.repeat(16)}/`, `/${'w'.repeat(16)}`],
	],
	[
		'the key of a consumer',
		consumerKeySchema,
		['a', 'A.b_c-9~flow~node~test', 'k'.repeat(200)],
		['', '~a', 'a~', 'a~~b', 'a b', 'k'.repeat(201)],
	],
	['a message id', messageIdSchema, [ID], ['123', '0000000001234', 'x00000000123', `${ID}x`]],
	['a consent id', consentIdSchema, [CONSENT, CONSENT.toUpperCase()], ['', 'c-7', `${CONSENT}0`]],
])('%s', (_, schema, right, wrong) => {
	expect(right.filter((one) => !schema.safeParse(one).success)).toEqual([]);
	expect(wrong.filter((one) => schema.safeParse(one).success)).toEqual([]);
});

it('a consent id is compared in lower case', () => {
	expect(consentIdSchema.parse(CONSENT.toUpperCase())).toBe(CONSENT);
});

it('a fault of a key, a holder or an id says in words how it is written', () => {
	const said = (schema: z.ZodType, value: unknown) =>
		schema.safeParse(value).error?.issues.map(({ message }) => message);
	expect(said(claimKeySchema, '')).toEqual(['must be 1 to 200 of A-Z a-z 0-9 . _ ~ -']);
	expect(said(claimChangeSchema, { state: 'free', holder: '' })).toEqual([
		'must be 16 to 100 of A-Z a-z 0-9 -',
	]);
	expect(said(messageIdSchema, '')).toEqual(['must be 12 digits']);
});

const HOLDER = 'holder-000000000';
const holders = {
	right: each('holder', 'h'.repeat(16), 'h'.repeat(100), 'AZaz09-AZaz09-09'),
	wrong: [
		...each('holder', 'h'.repeat(15), 'h'.repeat(101), `${HOLDER}_`, `_${HOLDER}`, GONE),
		{ more: 1 },
		...each('state', 'gone', GONE),
	],
};

takes(
	'a claim to send',
	claimChangeSchema,
	{ state: 'leaving', holder: HOLDER, leaseSeconds: 60, name: 'invoice 7', takeUnknown: true },
	{
		right: [
			...holders.right,
			...each('leaseSeconds', 1, 86_400),
			...each('name', GONE, '', 'n'.repeat(500)),
			...each('takeUnknown', GONE, false),
		],
		wrong: [
			...holders.wrong,
			...each('leaseSeconds', 0, 86_401, 1.5, '60', GONE),
			...each('name', 'n'.repeat(501), null),
			{ takeUnknown: 'yes' },
		],
	},
);

it('an attempt whose result is unknown is taken over only by who says so', () => {
	const claim = { state: 'leaving', holder: HOLDER, leaseSeconds: 60 };
	expect(claimChangeSchema.parse(claim)).toMatchObject({ takeUnknown: false });
});

takes(
	'that it was sent',
	claimChangeSchema,
	{ state: 'sent', holder: HOLDER, answer: { messageId: ID } },
	{
		right: [
			...holders.right,
			...each('answer', {}, { a: 'x'.repeat(LARGEST_ANSWER - '{"a":""}'.length) }),
		],
		wrong: [
			...holders.wrong,
			...each('answer', GONE, null, 'yes', { a: 'x'.repeat(LARGEST_ANSWER - 7) }),
			...each('answer', { a: 'é'.repeat(LARGEST_ANSWER / 2) }),
		],
	},
);
takes(
	'that nobody knows whether it was sent',
	claimChangeSchema,
	{ state: 'unknown', holder: HOLDER, reason: 'cut off' },
	{
		right: [...holders.right, ...each('reason', '', 'r'.repeat(1000))],
		wrong: [...holders.wrong, ...each('reason', GONE, 'r'.repeat(1001))],
	},
);
takes(
	'that it was not sent',
	claimChangeSchema,
	{ state: 'free', holder: HOLDER },
	{ right: holders.right, wrong: holders.wrong },
);

it('what PostgreSQL cannot store is replaced in texts for people', () => {
	const reason = 'a\0b\ud800c\u{1f4ee}';
	expect(claimChangeSchema.parse({ state: 'unknown', holder: HOLDER, reason })).toMatchObject({
		reason: 'a\ufffdb\ufffdc\u{1f4ee}',
	});
});

describe('several changes of claims', () => {
	const free = (count: number) =>
		Array.from({ length: count }, (_, n) => ({ key: `k-${n}`, state: 'free', holder: HOLDER }));
	const fault = (claims: unknown, more = {}) =>
		claimsSchema.safeParse({ claims, ...more }).error?.issues[0]?.message;

	it.each([1, 2, MOST_CLAIMS])('takes %d', (count) => expect(fault(free(count))).toBeUndefined());

	it.each<[string, unknown, object]>([
		['none', [], {}],
		['too many', free(MOST_CLAIMS + 1), {}],
		['one without a key', [{ state: 'free', holder: HOLDER }], {}],
		['another member', free(1), { more: 1 }],
		['another member of one', [{ ...free(1)[0], more: 1 }], {}],
		['one of no known state', [{ ...free(1)[0], state: 'gone' }], {}],
	])('refuses %s', (_, claims, more) => expect(fault(claims, more)).toBeDefined());

	it('refuses a key that is named twice, and says so', () => {
		expect(fault([...free(2), ...free(1)])).toBe('names a key twice');
	});

	it.each<[string, object]>([
		['leaving', { leaseSeconds: 60 }],
		['sent', { answer: {} }],
		['unknown', { reason: '' }],
		['free', {}],
	])('takes one that is %s, by its key', (state, more) => {
		const one = { key: 'k', state, holder: HOLDER, ...more };
		expect(claimsSchema.parse({ claims: [one] })).toMatchObject({ claims: [one] });
	});

	it('an answer that is too large is refused with the limit in words', () => {
		const answer = { a: 'x'.repeat(LARGEST_ANSWER) };
		const claims = [{ key: 'k', state: 'sent', holder: HOLDER, answer }];
		expect(fault(claims)).toBe('is larger than 262144 bytes as JSON');
	});
});

const USED_FOR = {
	...{ service: 'https://service.example', accounts: ['digest-of-account'], sender: null },
	...{ type: 'LS', recipients: 'digest-of-recipients', to: 'a@x.example' },
};
takes('what a key was used for', usedForSchema, USED_FOR, {
	right: [{ sender: ID }, { accounts: ['digest-of-account', 'digest-of-token'] }],
	wrong: [
		...without(...Object.keys(USED_FOR)),
		{ accounts: [] },
		{ accounts: ['a secret with spaces'] },
		{ recipients: 'a@x.example' },
		{ to: 'x'.repeat(301) },
		{ other: 1 },
	],
});

const CLAIM = {
	...{ key: 'k', state: 'sent', mine: true, name: 'n', usedFor: null, answer: { id: ID } },
	...{ reason: 'r', leaseUntil: TIME, updatedAt: TIME },
};
const ATTENTION = {
	...{ kind: 'workflow-away', state: 'begun', text: 'It is away.', advice: 'See to it.' },
	...{ since: TIME, workflow: { name: 'Invoices', node: 'Trigger', url: null } },
};
const EVENT = {
	...{ id: 'evt_1', type: 'letter.sent', sourceType: 'status', messageId: ID },
	...{ messageType: 'LRE', status: 'SENT', terminal: false, reversible: false },
	...{ occurredAt: TIME, receivedAt: TIME, fileReference: 'F', customerReference: 'C' },
	...{ sequence: 0, traceparent: null, raw: { a: 1 } },
};
takes('an event', eventSchema, EVENT, {
	right: [
		...nulls('sourceType', 'messageId', 'messageType', 'status', 'occurredAt'),
		...nulls('fileReference', 'customerReference', 'raw'),
		{ consentId: CONSENT, customerId: 'c' },
		{ attention: ATTENTION },
		{ sequence: 1 },
	],
	wrong: [
		...without(...Object.keys(EVENT).filter((name) => name !== 'raw')),
		...each('id', '', 1),
		...each('type', 'letter.lost'),
		...each('messageId', '123', `${ID}4`, `x${ID}`),
		...each('messageType', 'FAX'),
		...each('sequence', -1, 0.5),
		...each('occurredAt', 'today'),
		...each('receivedAt', 'today', null),
		...each('terminal', null),
		...each('attention', {}),
	],
});

takes(
	'a filter',
	filterSchema,
	{ messageTypes: ['LRE'], statuses: ['SENT'], fileReference: 'F', customerReference: 'C' },
	{
		right: without('messageTypes', 'statuses', 'fileReference', 'customerReference'),
		wrong: [
			...each('messageTypes', [], ['FAX']),
			...each('statuses', [], ['']),
			...each('fileReference', '', null),
			...each('customerReference', '', null),
			{ more: 1 },
		],
	},
);

const WATCH = { messageType: 'LRE', fileReference: 'F', customerReference: 'C' };
const watches = {
	right: [
		...without('messageType', 'fileReference', 'customerReference'),
		...each('fileReference', 'f'.repeat(500)),
		...each('customerReference', 'c'.repeat(500)),
	],
	wrong: [
		...each('messageType', 'FAX', null),
		...each('fileReference', '', 'f'.repeat(501)),
		...each('customerReference', '', 'c'.repeat(501)),
		{ more: 1 },
	],
};
takes('a watch', watchSchema, WATCH, watches);
const ids = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(12, '0'));
const messages = (count: number) => ids(count).map((messageId) => ({ messageId }));
takes(
	'several watches',
	watchesSchema,
	{ ...WATCH, messageIds: [ID], messages: [{ ...WATCH, messageId: ID }] },
	{
		right: [
			...watches.right,
			...without('messageIds', 'messages'),
			{ messageIds: ids(MOST_WATCHES_AT_ONCE), messages: GONE },
			{ messageIds: GONE, messages: messages(MOST_WATCHES_AT_ONCE) },
		],
		wrong: [
			...watches.wrong,
			{ messageIds: GONE, messages: GONE },
			{ messageIds: ids(MOST_WATCHES_AT_ONCE) },
			{ messages: messages(MOST_WATCHES_AT_ONCE) },
			...each('messageIds', ['123'], ID),
			...each('messages', [{}], [{ messageId: ID, more: 1 }], [{ messageId: '123' }]),
		],
	},
);

it('says how many messages may be watched at once', () => {
	expect(watchesSchema.safeParse({}).error?.issues).toMatchObject([
		{ message: 'must name 1 to 1000 messages', path: ['messageIds'] },
	]);
});

const STORED_WATCH = {
	...{ messageId: ID, messageType: 'LRE', fileReference: 'F', customerReference: 'C' },
	...{ status: 'SENT', changedAt: TIME, createdAt: TIME, polledAt: TIME, nextPollAt: TIME },
	...{ problem: 'p', endedAt: TIME, endReason: 'final' },
};
takes(
	'what a consumer wants',
	wantsSchema,
	{ events: ['letter.sent'], filter: { statuses: ['SENT'] }, batchSize: 2 },
	{
		right: [
			...without('filter', 'batchSize'),
			...each('events', ['e'.repeat(100)], Array(100).fill('e')),
			...each('batchSize', 1, 500),
		],
		wrong: [
			...each('events', GONE, [], [''], ['e'.repeat(101)], Array(101).fill('e')),
			...each('batchSize', 0, 501, 1.5),
			...each('filter', { more: 1 }),
			{ more: 1 },
		],
	},
);

it.each<[string[], string[]]>([
	[
		['letter.sent', 'letter.sent'],
		['letter.sent', 'letter.sent'],
	],
	[['letter.sent', '*', 'unknown'], ['*']],
	[
		['consent.accepted', '*', 'customer.revoked', 'consent.accepted', 'receiver.attention'],
		['*', 'consent.accepted', 'customer.revoked', 'receiver.attention'],
	],
])('of %j, %j is kept: "any event" covers those of letters', (events, kept) => {
	expect(wantsSchema.parse({ events })).toEqual({ events: kept, batchSize: 1 });
});

takes(
	'what became of a batch',
	settlementSchema,
	{ batch: 'b', outcome: 'ack', reason: 'r' },
	{
		right: [
			...each('batch', 'b'.repeat(100)),
			...each('outcome', 'inProgress', 'nak', 'term'),
			...each('reason', GONE, 'r'.repeat(500)),
		],
		wrong: [
			...each('batch', GONE, '', 'b'.repeat(101)),
			...each('outcome', GONE, 'over'),
			...each('reason', 'r'.repeat(501)),
			{ more: 1 },
		],
	},
);
const WAIT_ID = 'wait-0000000000000';

describe('a pull', () => {
	const PULL = {
		...{ holder: 'holder-1', wants: { events: ['*'], batchSize: 1 }, atOnce: 2 },
		...{ settle: [{ batch: 'b', outcome: 'ack' }], startFromNow: 's', since: TIME, holdMs: 9 },
		...{ wakeUps: [{ batch: 'b', outcome: 'ack' }], leaving: true },
		...{ name: 'Invoices', node: 'Trigger', url: 'https://n8n.example/workflow/1' },
	};
	const settle = (count: number) => Array(count).fill(PULL.settle[0]);
	const wakeUps = (count: number) => Array(count).fill(PULL.wakeUps[0]);

	takes('itself', pullSchema, PULL, {
		right: [
			...without(...Object.keys(PULL).filter((name) => name !== 'holder' && name !== 'wants')),
			...nulls('wants', 'startFromNow', 'since', 'url'),
			...each('holder', 'h'.repeat(8), 'h'.repeat(64), 'AZaz09-9'),
			...each('atOnce', 0, 100),
			...each('settle', [], settle(1000)),
			...each('wakeUps', [], wakeUps(1000)),
			...each('startFromNow', 's'.repeat(100)),
			...each('holdMs', 0, 60_000),
			...each('name', '', 'n'.repeat(300)),
			...each('node', '', 'n'.repeat(300)),
			...each('url', 'http://localhost:5678', `https://n8n.example/${'a'.repeat(480)}`),
		],
		wrong: [
			...without('holder', 'wants'),
			...each('holder', 'h'.repeat(7), 'h'.repeat(65), 'holder_12', '_holder-1', 'holder-1_'),
			...each('atOnce', -1, 101, 0.5),
			...each('settle', settle(1001), [{}]),
			...each('wakeUps', wakeUps(1001), [{}]),
			...each('startFromNow', '', 's'.repeat(101)),
			...each('since', 'today'),
			...each('holdMs', -1, 60_001, 0.5),
			...each('leaving', 'yes'),
			...each('name', 'n'.repeat(301)),
			...each('node', 'n'.repeat(301)),
			...each('url', 'ftp://n8n.example', 'xhttps://n8n.example', 'https+x://n8n.example'),
			...each('url', `https://n8n.example/${'a'.repeat(481)}`),
			{ more: 1 },
		],
	});

	it('asks for the usual, unless it says otherwise', () => {
		expect(pullSchema.parse({ holder: 'holder-1', wants: null })).toEqual({
			...{ holder: 'holder-1', wants: null, atOnce: 1, settle: [], wakeUps: [] },
			...{ startFromNow: null, since: null, holdMs: 25_000, leaving: false },
			...{ name: '', node: '', url: null },
		});
	});

	it('has no text that PostgreSQL cannot store', () => {
		const [odd, even] = ['a\0b\ud800', 'a\ufffdb\ufffd'];
		const wants = (text: string) => ({
			...{ events: [text], batchSize: 1 },
			filter: { statuses: [text], fileReference: text, customerReference: text },
		});
		const named = { ...PULL, name: odd, node: odd, wants: wants(odd) };
		const read = { name: even, node: even, wants: wants(even) };
		expect(pullSchema.parse(named)).toMatchObject(read);
	});
});

it.each([
	['n8n-1~flow~node~test', 'n8n-1'],
	['n8n-1', 'n8n-1'],
	['', ''],
])('the consumer %j is of the n8n %j', (key, instance) => {
	expect(instanceOf(key)).toBe(instance);
});

takes(
	'a batch',
	batchSchema,
	{ id: 'b', attempt: 1, events: [{ id: 'evt_1', type: 'of.a.newer.receiver', more: 1 }] },
	{
		right: each('id', 'b'.repeat(100)),
		wrong: [
			...without('id', 'attempt', 'events'),
			...each('id', '', 'b'.repeat(101)),
			...each('attempt', 0, 1.5),
			...each('events', [], [{}], [{ id: 1 }], [null], [['id']], ['evt_1']),
		],
	},
);
takes(
	'a wake-up',
	wakeUpSchema,
	{ id: 'b', resumeUrl: 'https://n8n.example', secret: 's', resume: { of: 'a newer receiver' } },
	{
		right: [{ more: 1 }],
		wrong: [
			...without('id', 'resumeUrl', 'secret', 'resume'),
			...each('resume', null, 'r', [], undefined),
		],
	},
);
const PULL_ANSWER = { batches: [], wakeUps: [], waiting: 0, watching: true, now: TIME };
const CONSUMER = {
	...{ key: 'k', name: 'n', node: 'o', url: 'u', wants: { events: ['*'], batchSize: 1 } },
	...{ held: true, pulledAt: TIME, awaySince: TIME, rivalAt: TIME, createdAt: TIME },
	...{ behind: 0, queued: 0, inHand: 0, dead: 0, oldestAt: TIME },
};

describe('a wait', () => {
	const WAIT = {
		...{ instance: 'n8n-1', resumeUrl: 'https://n8n.example/webhook-waiting/1' },
		...{ secret: 's'.repeat(32), messages: [{ messageId: ID, messageType: 'LRE' }] },
		...{ deadline: '2026-01-31T09:30:00+01:00', trackedMailGoal: 'received' },
	};
	const consents = (count: number) =>
		ids(count).map((id) => ({ consentId: `3f2b8c1e-5d7a-4e9b-8a6c-${id}` }));

	takes('itself', waitSchema, WAIT, {
		right: [
			...each('instance', 'i', 'i'.repeat(100), 'A.z_0-9'),
			...each('resumeUrl', 'http://127.0.0.1:5678/x'),
			...each('secret', 's'.repeat(128), 'AZaz09_-'.repeat(4)),
			...each('deadline', TIME),
			...each('trackedMailGoal', GONE, 'opened'),
			...each('messages', messages(1), messages(MOST_AWAITED), [
				{ messageId: ID, messageType: null },
			]),
			...each('consents', consents(1), consents(MOST_AWAITED)).map((change) => ({
				...{ ...change, messages: GONE },
			})),
		],
		wrong: [
			...without('instance', 'resumeUrl', 'secret', 'messages', 'deadline'),
			...each('instance', '', 'i'.repeat(101), 'a~b', '~ab', 'ab~'),
			...each('resumeUrl', 'ftp://n8n.example', 'xhttp://n8n.example', 'https-x://n8n.example'),
			...each(
				'secret',
				's'.repeat(31),
				's'.repeat(129),
				`${'s'.repeat(32)}+`,
				`+${'s'.repeat(32)}`,
			),
			...each('deadline', 'today', '2026-01-31T09:30:00'),
			...each('trackedMailGoal', 'accepted'),
			...each('messages', [], messages(MOST_AWAITED + 1), [{}], [{ messageId: ID, more: 1 }]),
			...each('messages', [{ messageId: ID, messageType: 'FAX' }]),
			...each(
				'consents',
				[],
				consents(MOST_AWAITED + 1),
				[{}],
				[{ ...consents(1)[0], more: 1 }],
			).map((change) => ({ ...change, messages: GONE })),
			{ consents: consents(1) },
			{ more: 1 },
		],
	});

	it.each<[string, object, string]>([
		['both kinds', { ...WAIT, consents: consents(1) }, 'must name either messages or consents'],
		['neither', { ...WAIT, messages: undefined }, 'must name either messages or consents'],
		[
			'a message twice',
			{ ...WAIT, messages: [...messages(1), ...messages(1)] },
			'names a message twice',
		],
		[
			'a consent twice, however it is spelled',
			{
				...{ ...WAIT, messages: undefined },
				consents: [{ consentId: CONSENT }, { consentId: CONSENT.toUpperCase() }],
			},
			'names a consent twice',
		],
	])('that names %s says what is wrong', (_, wait, message) => {
		const { error } = waitSchema.safeParse(wait);
		expect(error?.issues).toMatchObject([{ message, path: [expect.any(String)] }]);
	});

	it('of mail that is tracked ends when it is opened, and may not know its type', () => {
		const wait = { ...WAIT, messages: messages(1), trackedMailGoal: undefined };
		expect(waitSchema.parse(wait)).toMatchObject({
			...{ trackedMailGoal: 'opened', messages: [{ messageType: null }] },
		});
	});
});

const OUTCOME = {
	...{ id: ID, outcome: 'accepted', status: 'ACCEPTED', occurredAt: TIME },
	...{ event: 'letter.accepted', eventId: 'evt_1' },
};
const RESUME = { waitId: WAIT_ID, reason: 'complete', outcomes: [OUTCOME] };
const REGISTERED = { watching: true, pulling: 0 };
const STORED_WAIT = {
	...{ waitId: WAIT_ID, instance: 'i', state: 'open', target: 't', deadline: TIME },
	...{ trackedMailGoal: 'opened', batch: 'd', attempts: 0, lastResult: 'r', createdAt: TIME },
	...{ updatedAt: TIME, outcomes: [OUTCOME] },
};

it.each<[string, z.ZodType, Example, Change[]]>([
	['a claim', claimSchema, CLAIM, nulls('name', 'answer', 'reason', 'leaseUntil', 'updatedAt')],
	['what needs a person', attentionSchema, ATTENTION, [{ kind: 'of a newer receiver' }]],
	['a watch', watchViewSchema, STORED_WATCH, nulls('messageType', 'status', 'endReason')],
	['the answer to a pull', pullAnswerSchema, PULL_ANSWER, [{ waiting: 1, watching: false }]],
	['a consumer', consumerViewSchema, CONSUMER, nulls('url', 'awaySince', 'rivalAt', 'oldestAt')],
	['an outcome', awaitedOutcomeSchema, OUTCOME, [{ outcome: 'of a newer receiver' }]],
	['what wakes an execution', resumeSchema, RESUME, [{ reason: 'of a newer receiver' }]],
	['the request that wakes it', wakeUpBodySchema, { ...RESUME, secret: 's' }, []],
	[
		'the answer to that',
		wakeUpAnswerSchema,
		{ wakeUp: 'resumed' },
		each('wakeUp', 'over', 'refused'),
	],
	['a wait', waitViewSchema, STORED_WAIT, nulls('lastResult', 'batch')],
	['a wait just registered', registeredWaitSchema, { ...STORED_WAIT, ...REGISTERED }, []],
])('%s as it is shown has all of its members', (_, schema, example, others) => {
	for (const change of [{}, ...others]) {
		expect(schema.safeParse(changed(example, change)).error?.issues).toBeUndefined();
	}
	const incomplete = without(...Object.keys(example)).map((change) => changed(example, change));
	expect(incomplete.filter((one) => schema.safeParse(one).success)).toEqual([]);
	const empty = Object.fromEntries(
		Object.keys(example).map((name) => [name, Symbol('of no kind')]),
	);
	expect(schema.safeParse(empty).error?.issues).toHaveLength(Object.keys(example).length);
});
