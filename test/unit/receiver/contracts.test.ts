// What receiver and pack take from each other, where a schema does more than name a kind and a size:
// how keys are written, what depends on what, and what is read where nothing is said. Over HTTP, with the words of each refusal: contract/receiver.
import type { z } from 'zod/v4';
import { usedForSchema } from '../../../webhook-receiver/src/core/used-for.ts';
import {
	LARGEST_ANSWER,
	claimChangeSchema,
	claimKeySchema,
} from '../../../webhook-receiver/src/core/claim-contract.ts';
import {
	consentIdSchema,
	filterSchema,
	messageIdSchema,
	watchSchema,
	watchesSchema,
} from '../../../webhook-receiver/src/core/event-contract.ts';
import {
	batchSchema,
	consumerKeySchema,
	pullSchema,
	settlementSchema,
	wakeUpSchema,
	wantsSchema,
} from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	MOST_AWAITED,
	waitIdSchema,
	waitSchema,
} from '../../../webhook-receiver/src/core/wait-contract.ts';

const TIME = '2026-01-31T09:30:00.000Z';
const ID = '000000000123';
const CONSENT = '3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a';

/** What is wrong with a value, in the schema's words; empty when it is taken. */
function faults(schema: z.ZodType, value: unknown): string[] {
	return schema.safeParse(value).error?.issues.map(({ message }) => message) ?? [];
}

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

const HOLDER = 'holder-000000000';

it('an answer is kept up to its bytes as JSON, whatever its characters', () => {
	const sent = (answer: object) => ({ state: 'sent', holder: HOLDER, answer });
	const rest = LARGEST_ANSWER - '{"a":""}'.length;
	expect(faults(claimChangeSchema, sent({ a: 'x'.repeat(rest) }))).toEqual([]);
	for (const text of ['x'.repeat(rest + 1), 'é'.repeat(LARGEST_ANSWER / 2)]) {
		expect(faults(claimChangeSchema, sent({ a: text }))).toEqual([
			'is larger than 262144 bytes as JSON',
		]);
	}
});

const USED_FOR = {
	service: 'https://service.example',
	accounts: ['digest-of-account'],
	sender: null,
	type: 'LS',
	recipients: 'digest-of-recipients',
	to: 'a@x.example',
};
const ids = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(12, '0'));
const messages = (count: number) => ids(count).map((messageId) => ({ messageId }));
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

it('a pull links to a page of the web, and to nothing else', () => {
	const isTaken = (url: string) =>
		faults(pullSchema, { holder: HOLDER, wants: null, url }).length === 0;
	const pages = ['http://localhost:5678', 'https://n8n.example/w/1'];
	expect(pages.filter(isTaken)).toEqual(pages);
	const others = ['javascript:alert(1)', 'ftp://n8n.example', 'https+x://a.example'];
	expect(others.filter(isTaken)).toEqual([]);
});

it('a batch and a wake-up pass on what only a newer receiver knows', () => {
	const event = { id: 'evt_1', type: 'of.a.newer.receiver', more: 1 };
	const batch = { id: 'b', attempt: 1, events: [event] };
	expect(batchSchema.parse(batch)).toEqual(batch);
	const resume = { of: 'a newer receiver' };
	const wakeUp = { id: 'b', resumeUrl: 'https://n8n.example', secret: 's', resume };
	expect(wakeUpSchema.parse(wakeUp)).toEqual(wakeUp);
	for (const odd of [{}, { id: 1 }, null, ['id'], 'evt_1']) {
		expect(faults(batchSchema, { ...batch, events: [odd] })).not.toEqual([]);
	}
	for (const odd of [null, 'r', [], undefined]) {
		expect(faults(wakeUpSchema, { ...wakeUp, resume: odd })).not.toEqual([]);
	}
});

it.each<[string, z.ZodType, object]>([
	['what a key was used for', usedForSchema, USED_FOR],
	['a claim', claimChangeSchema, { state: 'free', holder: HOLDER }],
	['a filter', filterSchema, { statuses: ['SENT'] }],
	['a watch', watchSchema, { messageType: 'LRE' }],
	['several watches', watchesSchema, { messages: [{ messageId: ID }] }],
	['what a consumer wants', wantsSchema, { events: ['*'] }],
	['what became of a batch', settlementSchema, { batch: 'b', outcome: 'ack' }],
	['a pull', pullSchema, { holder: 'holder-1', wants: null }],
])('%s is refused with a member that nobody knows', (_, schema, right) => {
	expect(faults(schema, right)).toEqual([]);
	expect(faults(schema, { ...right, more: 1 })).toHaveLength(1);
});

describe('a wait', () => {
	const WAIT = {
		instance: 'n8n-1',
		resumeUrl: 'https://n8n.example/webhook-waiting/1',
		secret: 's'.repeat(32),
		messages: [{ messageId: ID, messageType: 'LRE' }],
		deadline: '2026-01-31T09:30:00+01:00',
		trackedMailGoal: 'received',
	};
	const consents = (count: number) =>
		ids(count).map((id) => ({ consentId: `3f2b8c1e-5d7a-4e9b-8a6c-${id}` }));

	it('is of 1 to 1000 messages or consents', () => {
		const taken = [0, 1, MOST_AWAITED, MOST_AWAITED + 1].map((count) => [
			faults(waitSchema, { ...WAIT, messages: messages(count) }).length === 0,
			faults(waitSchema, { ...WAIT, messages: undefined, consents: consents(count) }).length === 0,
		]);
		expect(taken.map(String)).toEqual(['false,false', 'true,true', 'true,true', 'false,false']);
	});

	it.each([
		['instance', ['i', 'A.z_0-9'], ['', 'i'.repeat(101), 'a~b']],
		['resumeUrl', ['http://127.0.0.1:5678/x'], ['ftp://n8n.example', 'xhttp://n8n.example']],
		['secret', ['AZaz09_-'.repeat(4)], ['s'.repeat(31), `${'s'.repeat(32)}+`]],
		['deadline', [TIME], ['today', '2026-01-31T09:30:00']],
	])('has its %s written as it must be', (name, right, wrong) => {
		const taken = (value: string) => faults(waitSchema, { ...WAIT, [name]: value }).length === 0;
		expect(right.filter((value) => !taken(value))).toEqual([]);
		expect(wrong.filter(taken)).toEqual([]);
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
				...WAIT,
				messages: undefined,
				consents: [{ consentId: CONSENT }, { consentId: CONSENT.toUpperCase() }],
			},
			'names a consent twice',
		],
	])('that names %s says what is wrong', (_, wait, message) => {
		const { error } = waitSchema.safeParse(wait);
		expect(error?.issues).toMatchObject([{ message, path: [expect.any(String)] }]);
	});
});
