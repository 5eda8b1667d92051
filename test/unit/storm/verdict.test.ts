// That the storm's verdict notices each breach: a whole world in which all is well, broken once.
import type { OutputItem } from '../../n8n/api.ts';
import type { NodeRun, StoredExecution } from '../../n8n/executions.ts';
import {
	findings,
	markOf,
	type Jump,
	type Ledgers,
	type LetterRecord,
} from '../../storm/verdict.ts';
import { NODES } from '../../storm/workflows.ts';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';

const MINUTE = 60_000;

function execution(id: number, more: Partial<StoredExecution>): StoredExecution {
	return {
		id,
		mode: 'webhook',
		status: 'success',
		startedAt: id * 100,
		stoppedAt: id * 100 + 50,
		retryOf: null,
		deduplicationKey: null,
		isDeleted: false,
		started: [],
		runs: {},
		...more,
	};
}

const event = (sequence: number, messageId: string, type: string, status?: string) =>
	({
		id: `evt_${sequence}`,
		messageId,
		type,
		sequence,
		raw: {},
		status: status ?? type.split('.')[1]?.toUpperCase() ?? null,
	}) as unknown as DeliveryEvent;

const items = (...all: object[]): OutputItem[] =>
	all.map((json, item) => ({ json: json as Record<string, unknown>, pairedItem: { item } }));

const run = (input: OutputItem[], ...outputs: OutputItem[][]): NodeRun => ({ input, outputs });

/** Two letters, one opened, one failed and followed by another. */
function world() {
	const events = [
		event(1, '1', 'tracked_mail.sent'),
		event(2, '1', 'tracked_mail.opened'),
		event(3, '2', 'tracked_mail.failed'),
	];
	const [opened, failed] = items(
		{ messageId: '1', fileReference: 'a' },
		{ messageId: '2', fileReference: 'b' },
	);
	const letters = items({ key: 'a' }, { key: 'b' });
	const again = items({ messageId: '3', fileReference: 'b-again' });
	const mailing = execution(9, {
		runs: {
			[NODES.letters]: [run([], [...letters])],
			[NODES.send]: [run(letters, [opened, failed])],
			[NODES.wait]: [run([opened, failed], [], [], [opened], [failed], [])],
			[NODES.escalate]: [run([failed], again)],
		},
	});
	const started = events.map((one, at) =>
		execution(at + 1, {
			mode: 'trigger',
			started: items({ id: one.id, messageId: one.messageId }),
		}),
	);
	return {
		letters: [letter('a', 'open'), letter('b', 'fail')],
		deadline: 2 * MINUTE,
		jumps: [] as Jump[],
		acceptedBodies: new Set<string>(),
		erased: new Set<string>(),
		handedOutAgain: new Set<number>(),
		served: [
			{ id: '1', type: 'AES', fileReference: 'a', statuses: ['SENT', 'OPENED'] },
			{ id: '2', type: 'AES', fileReference: 'b', statuses: ['FAILED'] },
			{ id: '3', type: 'LS', fileReference: 'b-again', statuses: ['SENT'] },
		],
		events,
		records: new Map([
			['1', known(events[0], events[1])],
			['2', known(events[2])],
		]),
		mailings: [mailing],
		followers: new Map([['All', { isFromTheStart: true, executions: started }]]),
		traces: new Map([['log', 'nothing to see']]),
		secrets: ['s3cret'],
	} satisfies Ledgers;
}

const known = (...events: DeliveryEvent[]): LetterRecord => ({
	changes: events.map(({ id, type }) => ({ eventId: id, type, hasWebhook: true })),
});

const letter = (key: string, steering: string) =>
	({ key, sender: 'direct', type: 'AES', email: `${steering}+${key}@storm.example` }) as const;

type World = ReturnType<typeof world>;

it('finds nothing where all is well', () => {
	expect(findings(world())).toEqual({});
});

const breaches: Array<[string, string, (world: World) => void]> = [
	[
		'a letter sent twice',
		'letters sent twice',
		({ served }) => served.push({ ...served[0], id: '8' }),
	],
	[
		'an item without a verdict',
		'items without exactly one verdict',
		({ mailings }) => mailings[0].runs[NODES.send][0].outputs[0].pop(),
	],
	[
		'an item with two',
		'items without exactly one verdict',
		({ mailings }) => mailings[0].runs[NODES.send][0].outputs[0].push(...items({ messageId: '1' })),
	],
	[
		'a letter that no execution speaks of',
		'letters without a verdict',
		({ letters }) => letters.push(letter('c', 'open') as (typeof letters)[number]),
	],
	[
		'a letter said to be sent that is not',
		'verdicts that are false',
		({ served }) => void (served[2].fileReference = 'other'),
	],
	[
		'a letter said not to be sent that is',
		'letters that nobody owns up to',
		({ mailings }) =>
			void (mailings[0].runs[NODES.send][0].outputs[0][1].json = { error: 'Refused' }),
	],
	[
		'a letter that does not leave the wait',
		'letters that left Await Outcome not once',
		({ mailings }) => mailings[0].runs[NODES.wait][0].outputs[2].pop(),
	],
	[
		'a letter that leaves by a wrong output',
		'outcomes that are false',
		({ mailings }) => mailings[0].runs[NODES.wait][0].outputs.reverse(),
	],
	[
		'a wait given up before its deadline',
		'outcomes that are false',
		({ mailings: [{ runs }] }) => {
			const [{ outputs }] = runs[NODES.wait];
			outputs[4] = outputs[2].splice(0);
		},
	],
	[
		'a change twice in the log',
		'changes that are in the log several times',
		({ events }) => events.push({ ...events[0], id: 'evt_4', sequence: 4 }),
	],
	[
		'a change that is not in the log',
		'changes that nobody was told of',
		({ events }) => events.pop(),
	],
	[
		'an event of no letter',
		'events of letters that the service does not have',
		({ served }) => served.splice(0, 1),
	],
	[
		'an event without an execution',
		'All: no execution',
		({ followers }) => followers.get('All')?.executions.pop(),
	],
	[
		'an event with two executions',
		'All: several executions',
		({ followers }) => {
			const executions = followers.get('All')?.executions ?? [];
			executions.push({ ...executions[2], id: 7 });
		},
	],
	[
		'two events of a letter the wrong way round',
		'All: out of order',
		({ followers }) => followers.get('All')?.executions.reverse(),
	],
	[
		'an execution that sleeps on',
		'executions that never ended',
		({ mailings }) => void (mailings[0].status = 'waiting'),
	],
	[
		'an event whose execution never began',
		'executions that never ended',
		({ followers }) => {
			const [first] = followers.get('All')?.executions ?? [];
			first.status = 'new';
		},
	],
	[
		'an erased letter that comes back',
		'events of letters that were erased',
		({ erased, followers }) => {
			erased.add('1');
			followers.clear();
		},
	],
	[
		'a letter of unknown outcome that is tried again',
		'letters that were tried again when their outcome was unknown',
		({ mailings: [{ runs }] }) => {
			const [sent] = runs[NODES.send];
			const unknown = items({ key: 'a', error: 'Outcome unknown: no answer' });
			const rest = { ...sent.outputs[0][1] };
			runs[NODES.send] = [
				run(sent.input, [rest], unknown),
				run(unknown, items({ messageId: '1' })),
			];
		},
	],
	[
		'a record that lacks a status',
		'records that are not what happened',
		({ records }) => records.get('1')?.changes.pop(),
	],
	[
		'a record with a status that the letter never had',
		'records that are not what happened',
		({ records }) =>
			records.get('2')?.changes.push({
				eventId: null,
				type: 'tracked_mail.expired',
				hasWebhook: false,
			}),
	],
	[
		'a record in another order',
		'records that are not what happened',
		({ records }) => records.get('1')?.changes.reverse(),
	],
	[
		'a record of an erased letter',
		'records that are not what happened',
		({ erased }) => erased.add('2'),
	],
	[
		'a change whose event is another',
		'records that the log does not tell of',
		({ records }) => void (records.get('2')!.changes[0].eventId = 'evt_9'),
	],
	[
		'an event that no record has',
		'records that the log does not tell of',
		({ events, served }) => {
			events.push(event(4, '3', 'letter.sent', 'SENT'));
			served[2].statuses = [];
		},
	],
	[
		'an accepted body that is lost',
		'bodies that were accepted and are not in the log',
		({ acceptedBodies }) => acceptedBodies.add(markOf(true, '1-a')),
	],
	[
		'a body that nobody signed',
		'bodies without a signature that are in the log',
		({ events }) => {
			const raw = { mark: markOf(false, '1-a') };
			events.push({ ...event(4, '', 'unknown'), messageId: null, raw });
		},
	],
	[
		'a secret in a log',
		'secrets shown',
		({ traces }) => void traces.set('log', 'token s3cret refused'),
	],
];

it.each(breaches)('notices %s', (_what, promise, breach) => {
	const broken = world();
	breach(broken);
	expect(Object.keys(findings(broken))).toContain(promise);
});

it('wants word of a registered letter only if it was awaited', () => {
	const { served, letters, mailings, ...rest } = world();
	const lre = { id: '7', type: 'LRE', fileReference: 'c', statuses: ['SENT', 'ACCEPTED'] };
	const { runs } = mailings[0];
	const [sending] = runs[NODES.send];
	sending.input.push(...items({ key: 'c' }));
	const said = (json: object) => ({
		json: json as Record<string, unknown>,
		pairedItem: { item: 2 },
	});
	const ledgers = {
		...rest,
		mailings,
		served: [...served, lre],
		letters: [...letters, { ...letter('c', 'accept'), type: 'LRE' as const }],
	};
	sending.outputs[0].push(said({ error: 'Outcome unknown: no answer' }));
	expect(findings(ledgers)).toEqual({});
	sending.outputs[0][2] = said({ messageId: '7' });
	expect(findings(ledgers)).toEqual({});
	const [waiting] = runs[NODES.wait];
	waiting.input.push(said({ messageId: '7' }));
	waiting.outputs[0].push(said({ messageId: '7' }));
	expect(findings(ledgers)).toEqual({
		'changes that nobody was told of': ['7 letter.accepted'],
		'records that are not what happened': [expect.stringMatching(/^nothing, .*accepted/)],
	});
	waiting.outputs[4] = waiting.outputs[0].splice(0);
	expect(findings({ ...ledgers, deadline: 0 })).toEqual({});
});

it('lets a delivery be told again after the bounce that a poll did not see', () => {
	const { events, records, served, ...rest } = world();
	const at = (sequence: number, type: string, status: string) => ({
		...event(sequence, '1', `tracked_mail.${type}`),
		status,
	});
	const again = [
		at(4, 'received', 'RECEIVED'),
		at(5, 'undelivered', 'UNDELIVERED'),
		at(6, 'received', 'RECEIVED'),
	];
	const first = events.filter(({ messageId }) => messageId === '1');
	records.set('1', known(...first, ...again));
	served[0].statuses.push('UNDELIVERED', 'RECEIVED');
	records.get('1')!.changes[2].hasWebhook = false;
	const ledgers = {
		...rest,
		records,
		served,
		followers: new Map(),
		events: [...events, ...again],
	};
	expect(findings(ledgers)).toEqual({});
	ledgers.events.splice(4, 1);
	expect(findings(ledgers)).toMatchObject({
		'changes that are in the log several times': ['1 tracked_mail.received'],
	});
});

const UNTRUE = { 'outcomes that are false': [expect.stringMatching(/Pending/)] };

it.each([
	['after its deadline', 'error', 2 * MINUTE, {}],
	['before its deadline', 'error', MINUTE, UNTRUE],
	['when it was stopped asleep', 'canceled', MINUTE, {}],
	['when it crashed', 'crashed', MINUTE, UNTRUE],
])('what a retried execution says its wait said %s', (_when, status, waitedMs, expected) => {
	const { mailings, ...rest } = world();
	const [{ runs, startedAt }] = mailings;
	const [{ outputs }] = runs[NODES.wait];
	outputs[4] = outputs[2].splice(0);
	const failed = execution(8, { status, runs, startedAt: Number(startedAt) - waitedMs });
	const retried = { ...mailings[0], mode: 'retry', retryOf: failed.id };
	expect(findings({ ...rest, mailings: [failed, retried] })).toEqual(expected);
});

it('takes the word of who may not use a key for the letter of who was killed', () => {
	const { mailings, ...rest } = world();
	const error =
		'This key was used for a letter to b@x.example on 2026-11-25. Nothing was sent for it.';
	const { outputs } = mailings[0].runs[NODES.send][0];
	outputs[0] = items({ messageId: '1' }, { error });
	expect(findings({ ...rest, mailings })).not.toHaveProperty('letters that nobody owns up to');
});

it('asks no verdict of an execution that was killed, nor of one that has not got there', () => {
	const { mailings, ...rest } = world();
	const killed = { ...mailings[0], id: 10, status: 'crashed', runs: { ...mailings[0].runs } };
	killed.runs[NODES.send] = [run(items({ key: 'a' }), [])];
	const early = execution(11, { runs: { [NODES.letters]: [run([], items({ key: 'a' }))] } });
	expect(findings({ ...rest, mailings: [...mailings, killed, early] })).toEqual({});
});

it('lets what an operator had handed out again come late, but once', () => {
	const { handedOutAgain, ...rest } = world();
	const executions = rest.followers.get('All')?.executions ?? [];
	executions.push(...executions.splice(0, 1));
	handedOutAgain.add(1);
	expect(findings({ ...rest, handedOutAgain })).toEqual({});
	executions.push(executions[0]);
	expect(Object.keys(findings({ ...rest, handedOutAgain }))).toContain('All: several executions');
});

it('misses nothing of a letter that was erased, whatever its events started before', () => {
	const { events, erased, ...rest } = world();
	erased.add('1');
	rest.records.set('1', known());
	const left = events.filter(({ messageId }) => messageId !== '1');
	expect(findings({ ...rest, erased, events: left })).toEqual({});
});

it('counts the events of a copy from its first one on', () => {
	const { followers, ...rest } = world();
	const copy = {
		isFromTheStart: false,
		executions: followers.get('All')?.executions.slice(1) ?? [],
	};
	expect(findings({ ...rest, followers: new Map([['Copy', copy]]) })).toEqual({});
	copy.executions.splice(1, 1);
	expect(findings({ ...rest, followers: new Map([['Copy', copy]]) })).toHaveProperty([
		'Copy: no execution',
	]);
});
