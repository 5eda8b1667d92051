import { EVENT_TYPES, eventSchema } from '../../../webhook-receiver/src/core/event-contract.ts';
import { DEFAULT_MAPPING, normalise } from '../../../webhook-receiver/src/core/normalise.ts';

const ID = '000000000123';
const read = (raw: unknown, headers = {}) => normalise(raw, headers).event;

describe('kinds of event', () => {
	const kinds = [
		['STAT-01', 'sent', 'SENT', false, false],
		['STAT-02', 'received', 'RECEIVED', false, false],
		['STAT-03', 'opened', 'OPENED', true, false],
		['STAT-04', 'undelivered', 'UNDELIVERED', false, true],
		['STAT-07', 'failed', null, true, false],
	] as const;
	for (const [rule, state, status, terminal, reversible] of kinds) {
		it.each(['AES', 'MT'])(`[${rule}][EVNT-01][TYPE-06][R] reads %s ${state}`, (spelling) => {
			const sourceType = `${spelling.toLowerCase()}_${state}`;
			expect(read({ event: sourceType, messageId: ID })).toMatchObject({
				type: `tracked_mail.${state}`,
				sourceType,
				messageType: spelling,
				messageId: ID,
				status,
				terminal,
				reversible,
			});
		});
	}

	it('[SCHD-04][EVNT-01][R] reads lre_failed as terminal, without a status', () => {
		expect(read({ event: 'lre_failed', messageId: ID })).toMatchObject({
			type: 'lre.failed',
			sourceType: 'lre_failed',
			messageType: 'LRE',
			status: null,
			terminal: true,
			reversible: false,
		});
	});

	it.each(['AES.SENT', 'aes-sent', 'aesSent', 'Aes Sent', ' aes_sent '])(
		'[EVNT-03][R] takes %p for aes_sent',
		(name) => {
			expect(read({ event: name })).toMatchObject({
				type: 'tracked_mail.sent',
				sourceType: name.trim(),
				messageType: 'AES',
			});
		},
	);

	it.each([
		[{ event: 'ls_received' }, 'ls_received', 'LS'],
		[{ event: 'aes_sent_again' }, 'aes_sent_again', 'AES'],
		[{ event: 'constructor' }, 'constructor', null],
		[{ type: 'LRE' }, 'LRE', 'LRE'],
		[{}, null, null],
		[{ event: 7 }, null, null],
		[{ event: '  ' }, null, null],
		[{ event: 'ls new' }, 'ls new', 'LS'],
		[{ event: '7aes_new' }, '7aes_new', null],
		[{ event: 'x aes_new' }, 'x aes_new', null],
		[{ type: 'LRE', name: 'brand_new' }, 'brand_new', 'LRE'],
		[{ event: 'webhook', name: 'brand_new' }, 'webhook', null],
		[{ event: null, data: [] }, null, null],
		['aes_sent', null, null],
		[null, null, null],
		[42, null, null],
	])('[EVNT-02][R] keeps %j as unknown', (raw, sourceType, messageType) => {
		expect(read(raw)).toMatchObject({
			type: 'unknown',
			sourceType,
			messageType,
			status: null,
			raw,
		});
	});
});

describe('where the event name stands', () => {
	it.each([
		[{ event: 'aes_sent' }],
		[{ type: 'aes_sent' }],
		[{ eventType: 'aes_sent' }],
		[{ event_type: 'aes_sent' }],
		[{ name: 'aes_sent' }],
		[{ kind: 'aes_sent' }],
		[{ event: { name: 'aes_sent' } }],
		[{ event: { type: 'aes_sent', id: 'e1' } }],
		[{ data: { event: 'aes_sent' } }],
		[{ payload: { type: 'aes_sent' } }],
		[{ type: 'AES', event: 'sent' }],
		[{ event: 'webhook', type: 'aes_sent' }],
		[{ event: 'sent', message: { type: 'AES', id: ID } }],
	])('[EVNT-03][R] finds it in %j', (raw) => {
		expect(read(raw)).toMatchObject({ type: 'tracked_mail.sent', messageType: 'AES' });
	});

	it('[EVNT-03][R] takes a name for what it says by itself before one that needs the message type', () => {
		expect(read({ event: 'sent', kind: 'aes_opened', type: 'AES' })).toMatchObject({
			sourceType: 'aes_opened',
			type: 'tracked_mail.opened',
		});
		expect(read({ event: 'webhook', name: 'sent', type: 'AES' })).toMatchObject({
			sourceType: 'sent',
			type: 'tracked_mail.sent',
		});
	});

	it('[EVNT-03][R] looks into a wrapper, and no deeper unless the mapping says so', () => {
		const raw = { data: { object: { event: 'aes_sent' } } };
		const reading = { ...DEFAULT_MAPPING, wrappers: ['data.object'] };
		expect(read(raw).type).toBe('unknown');
		expect(normalise(raw, {}, reading).event.type).toBe('tracked_mail.sent');
	});

	it('[EVNT-03][R] separators may stand anywhere', () => {
		expect(read({ event: 'a-e-s sent' }).type).toBe('tracked_mail.sent');
		expect(read({ event: '_aes_sent' })).toMatchObject({
			type: 'tracked_mail.sent',
			messageType: 'AES',
		});
	});

	it('[EVNT-03][R] an event that is an object is named by its name, else by its type', () => {
		const reading = { ...DEFAULT_MAPPING, event: ['what'], wrappers: [] };
		const name = (what: object) => normalise({ what }, {}, reading).event.sourceType;
		expect(name({ name: 'aes_sent', type: 'webhook' })).toBe('aes_sent');
		expect(name({ type: 'aes_sent' })).toBe('aes_sent');
		expect(name({ title: 'aes_sent' })).toBeNull();
	});

	it('[EVNT-03][R] under another name it is what the mapping says, of the type that says', () => {
		const reading = { ...DEFAULT_MAPPING, names: { 'ls.read': 'aes_opened' } };
		expect(normalise({ event: 'ls.read' }, {}, reading).event).toMatchObject({
			type: 'tracked_mail.opened',
			sourceType: 'ls.read',
			messageType: 'AES',
		});
		expect(normalise({ event: 'toString' }, {}, reading).event.type).toBe('unknown');
	});

	it.each(['x-event', 'x-webhook-event'])('[EVNT-03][R] finds it in the header %s', (header) => {
		expect(read({ messageId: ID }, { [header]: 'mt_opened' })).toMatchObject({
			type: 'tracked_mail.opened',
			messageType: 'MT',
			messageId: ID,
		});
	});
});

describe('where the message id stands', () => {
	it.each([
		[{ messageId: ID }],
		[{ message_id: ID }],
		[{ message: { id: ID } }],
		[{ message: { id: 123 } }],
		[{ friendlyId: ID }],
		[{ id: ID }],
		[{ messageId: 123 }],
		[{ messageId: '123' }],
		[{ data: { messageId: 123 } }],
		[{ data: { id: ID } }],
		[{ message: { friendlyId: '123' } }],
		[{ event: { name: 'aes_sent', messageId: 123 } }],
		[{ messageId: ' 123 ' }],
		[{ payload: { message_id: ID } }],
		[{ object: { friendlyId: ID } }],
		[{ id: 'evt-1', data: { message: { id: ID } } }],
		[{ id: 999999999999, messageId: ID }],
	])('[EVNT-03][R] finds it in %j', (raw) => {
		expect(read(raw).messageId).toBe(ID);
	});

	it.each([
		[{ id: 123 }],
		[{ id: '1234567890123' }],
		[{ messageId: 'abc' }],
		[{ messageId: -1 }],
		[{ messageId: '1234567890123' }],
		[{ messageId: '12 34' }],
		[{ messageId: 'A123' }],
		[{ messageId: '' }],
		[{ id: 'x000000000123' }],
		[{ id: '000000000123x' }],
	])('[EVNT-03][R] finds none in %j', (raw) => {
		expect(read(raw).messageId).toBeNull();
	});
});

describe('when it happened', () => {
	const NINE = '2026-01-31T09:30:00.000Z';
	it.each([
		[{ timestamp: '2026-01-31T09:30:00Z' }, NINE],
		[{ occurredAt: '2026-01-31T10:30:00+01:00' }, NINE],
		[{ occurred_at: '2026-01-31T10:30:00+0100' }, NINE],
		[{ createdAt: '2026-01-31 09:30:00' }, NINE],
		[{ created_at: 1769851800 }, NINE],
		[{ date: 1769851800000 }, NINE],
		[{ timestamp: '1769851800' }, NINE],
		[{ timestamp: '1769851800000' }, NINE],
		[{ timestamp: 1769851800.25 }, '2026-01-31T09:30:00.250Z'],
		[{ data: { date: '2026-01-31' } }, '2026-01-31T00:00:00.000Z'],
		[{ timestamp: 'soon', createdAt: '2026-01-31T09:30:00.000000Z' }, NINE],
		[{ timestamp: ' 2026-01-31T09:30Z ' }, NINE],
		[{ timestamp: ' 1769851800 ' }, NINE],
		[{ timestamp: '1769851800.25' }, '2026-01-31T09:30:00.250Z'],
		[{ timestamp: '1769851800000.4' }, NINE],
		[{ timestamp: '2026-01-31 09:30' }, NINE],
		[{ timestamp: '2026-01-31 10:30 +01:00' }, NINE],
		[{ timestamp: '2026-01-31T09:30:00z' }, NINE],
		[{ timestamp: '2026-01-31t09:30:00' }, NINE],
		[{ timestamp: '2026-01-31T04:00:00.123-0530' }, '2026-01-31T09:30:00.123Z'],
		[{ timestamp: '2026-01-31T09:30:00.123456789' }, '2026-01-31T09:30:00.123Z'],
		[{ timestamp: '2000-01-01T00:00:00Z' }, '2000-01-01T00:00:00.000Z'],
		[{ timestamp: '1999-12-31T23:59:59.999Z' }, null],
		[{ timestamp: '2099-12-31T23:59:59.999Z' }, '2099-12-31T23:59:59.999Z'],
		[{ timestamp: '2100-01-01T00:00:00Z' }, null],
		[{ timestamp: '+1769851800' }, null],
		[{ timestamp: '1769851800e0' }, null],
		[{ timestamp: '1769851800.' }, null],
		[{ timestamp: '17698518' }, null],
		[{ timestamp: 'on 2026-01-31' }, null],
		[{ timestamp: '2026-01-31 or later' }, null],
		[{ timestamp: '2026-01-31T09' }, null],
		[{ timestamp: '2026-01-31T09:30x01:00' }, null],
		[{ timestamp: '2026-01-31T09:30:00.1234567890Z' }, null],
		[{ timestamp: '31/01/2026' }, null],
		[{ timestamp: true }, null],
		[{ timestamp: 'soon' }, null],
		[{ timestamp: 7 }, null],
		[{ timestamp: '2026-13-45' }, null],
		[{ timestamp: 8e18 }, null],
		[{ timestamp: null }, null],
		[{ timestamp: {} }, null],
	])('[EVNT-03][R] reads %j as %p', (raw, time) => {
		expect(read(raw).occurredAt).toBe(time);
	});
});

it('[EVNT-03][R] reads references and keeps what it was given', () => {
	const raw = { type: 'aes_sent', data: { id: ID, fileReference: 'F1', customer_reference: 'C1' } };
	const event = read(raw);
	expect(event).toMatchObject({ fileReference: 'F1', customerReference: 'C1' });
	expect(event.raw).toBe(raw);
});

it.each([
	['fileReference', { fileReference: 'R1' }],
	['fileReference', { file_reference: ' R1 ' }],
	['fileReference', { message: { fileReference: 'R1' } }],
	['fileReference', { fileReference: ' ', file_reference: 'R1' }],
	['customerReference', { customerReference: 'R1' }],
	['customerReference', { customer_reference: 'R1' }],
	['customerReference', { message: { customerReference: 'R1' } }],
	['customerReference', { payload: { customerReference: 'R1' } }],
] as const)('[EVNT-03][R] reads the %s of %j', (name, raw) => {
	const other = name === 'fileReference' ? 'customerReference' : 'fileReference';
	expect(read(raw)).toMatchObject({ [name]: 'R1', [other]: null });
});

it.each([
	[{ messageType: 'LRE' }, 'LRE'],
	[{ message_type: 'lre' }, 'LRE'],
	[{ message: { type: 'LRE' } }, 'LRE'],
	[{ type: 'LRE' }, 'LRE'],
	[{ messageType: 'letter', type: 'LS' }, 'LS'],
	[{ messageType: 'letter' }, null],
	[{ event: 'mt_sent', messageType: 'AES' }, 'MT'],
])('[EVNT-03][R] reads the message type of %j as %p', (raw, type) => {
	expect(read(raw).messageType).toBe(type);
});

it.each([
	[{ eventId: 'e1' }, {}, 'e1'],
	[{ id: 'e1' }, {}, 'e1'],
	[{ id: ' ' }, {}, null],
	[{ eventId: 'e1', id: 'e2' }, { 'webhook-id': 'w1' }, 'e1'],
	[{ id: 'e2', messageId: ID }, { 'webhook-id': 'w1' }, 'e2'],
	[{ data: { event_id: 'e1' } }, {}, 'e1'],
	[{ data: { id: 'e1' } }, {}, null],
	[{ messageId: ID }, { 'webhook-id': 'w1', 'x-event-id': 'x1' }, 'w1'],
	['text', { 'webhook-id': 'w1' }, 'w1'],
	[{ id: 7 }, {}, '7'],
	[{ event_id: 5 }, {}, '5'],
	[{ id: 'e1', messageId: ID }, {}, 'e1'],
	[{ id: ID }, {}, null],
	[{ id: 123, messageId: ID }, {}, null],
	[{ event: { id: 'e1', name: 'aes_sent' } }, {}, 'e1'],
	[{ messageId: ID }, { 'webhook-id': 'w1' }, 'w1'],
	[{ messageId: ID }, { 'x-event-id': 'x1' }, 'x1'],
])('[EVNT-05][R] reads the event id of %j with %j as %p', (raw, headers, id) => {
	expect(normalise(raw, headers).providerEventId).toBe(id);
});

it('[EVNT-03][R] makes an event of the contract out of anything', () => {
	const samples = [
		{},
		[],
		'x',
		null,
		Infinity,
		{ __proto__: null },
		{ event: { event: { event: {} } } },
	];
	for (const raw of samples) {
		const event = { ...read(raw), id: 'evt_1', sequence: 1, receivedAt: new Date(0).toISOString() };
		expect(EVENT_TYPES).toContain(eventSchema.parse(event).type);
	}
});
