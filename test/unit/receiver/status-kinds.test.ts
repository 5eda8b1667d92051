import {
	UNKNOWN_KIND,
	eventKind,
	kindOfStatus,
	stepOf,
} from '../../../webhook-receiver/src/core/event-kinds.ts';
import {
	comesBefore,
	impliesSent,
	isLast,
	undoes,
} from '../../../webhook-receiver/src/core/statuses.ts';

it.each([
	['SENT', 'LRE', 'letter.sent', false, false],
	['ACCEPTED', 'LRE', 'letter.accepted', true, false],
	['REFUSED', 'LRE', 'letter.refused', true, false],
	['EXPIRED', 'LRE', 'letter.expired', true, false],
	['UNDELIVERED', 'LRE', 'letter.undelivered', false, true],
	['RECEIVED', 'LRE', 'letter.received', false, false],
	['RECEIVED', 'LS', 'letter.received', true, false],
	['RECEIVED', 'AS', 'letter.received', true, false],
	['RECEIVED', null, 'letter.received', false, false],
	['SENT', 'LS', 'letter.sent', false, false],
	['UNDELIVERED', 'LS', 'letter.undelivered', false, true],
	['EXPIRED', 'LS', 'letter.expired', true, false],
	['SENT', 'AES', 'tracked_mail.sent', false, false],
	['RECEIVED', 'MT', 'tracked_mail.received', false, false],
	['OPENED', 'AES', 'tracked_mail.opened', true, false],
	['OPENED', null, 'tracked_mail.opened', true, false],
	['UNDELIVERED', 'AES', 'tracked_mail.undelivered', false, true],
	['EXPIRED', 'MT', 'tracked_mail.expired', true, false],
	['CANCELLED', 'LRE', 'letter.cancelled', true, false],
	['CANCELLED', 'AES', 'tracked_mail.cancelled', true, false],
	['CANCELLED', null, 'letter.cancelled', true, false],
] as const)('[READ-06] %s of %s is %s', (status, messageType, type, terminal, reversible) => {
	expect(kindOfStatus(status, messageType)).toEqual({ type, status, terminal, reversible });
	expect(kindOfStatus(status.toLowerCase(), messageType)).toMatchObject({ type, status });
});

it('makes no event of a letter that still waits for its time', () => {
	expect(kindOfStatus('SCHEDULED', 'LRE')).toBeNull();
});

it('[READ-06] keeps the name of a status it does not know', () => {
	for (const status of ['HELD_BACK', 'constructor', 'ACCEPTED']) {
		const kind = { type: 'unknown', status, terminal: false, reversible: false };
		expect(kindOfStatus(status, 'AES')).toEqual(kind);
	}
	expect(kindOfStatus('HELD_BACK', 'LRE')).toMatchObject({ type: 'unknown', status: 'HELD_BACK' });
	expect(kindOfStatus('toString', null)).toMatchObject({ type: 'unknown', status: 'toString' });
});

it.each([
	['AES', 'tracked_mail.failed'],
	['MT', 'tracked_mail.failed'],
	['LRE', 'lre.failed'],
	['LS', 'letter.failed'],
	['AS', 'letter.failed'],
	[null, 'letter.failed'],
])(
	'[STAT-07] FAILED of %s is %s, which is an end without a status, as its webhook',
	(type, kind) => {
		const failed = { type: kind, status: null, terminal: true, reversible: false };
		expect(kindOfStatus('FAILED', type)).toEqual(failed);
	},
);

it.each([
	['aes_sent', 'SENT', 'AES'],
	['mt_received', 'RECEIVED', 'MT'],
	['aes_failed', 'FAILED', 'AES'],
	['lre_failed', 'FAILED', 'LRE'],
	['mt_failed', 'FAILED', null],
])('%s and the status %s are one step, also before the type %s is known', (name, status, type) => {
	const webhook = stepOf(eventKind(name) ?? UNKNOWN_KIND);
	expect(webhook).toBe(status);
	expect(stepOf(kindOfStatus(status, type) ?? UNKNOWN_KIND)).toBe(webhook);
	expect(stepOf(kindOfStatus(status.toLowerCase(), null) ?? UNKNOWN_KIND)).toBe(webhook);
});

it('an event of unknown name is no step', () => {
	expect(stepOf(UNKNOWN_KIND)).toBeNull();
});

const ORDER = [
	['SCHEDULED'],
	['SENT'],
	['RECEIVED', 'UNDELIVERED'],
	['OPENED', 'ACCEPTED', 'REFUSED', 'EXPIRED', 'FAILED', 'CANCELLED'],
];

it.each(ORDER.flatMap((names, stage) => names.map((name) => [name, stage] as const)))(
	'[STAT-05] a message at %s can come to what is further on, and never back',
	(name, stage) => {
		const isBefore = (names: string[] = []) => names.map((other) => comesBefore(other, name));
		for (const [other, names] of ORDER.entries()) {
			expect(new Set(isBefore(names))).toEqual(new Set([other < stage]));
		}
		// Of a status that we do not know only the end is sure.
		expect(isBefore(['HELD', 'constructor'])).toEqual([stage === 3, stage === 3]);
		expect(comesBefore(name, 'HELD')).toBe(false);
		expect(isLast(name)).toBe(stage === 3);
		expect(impliesSent(name)).toBe(stage >= 2 && name !== 'FAILED' && name !== 'CANCELLED');
	},
);

it('[STAT-05] a bounce and a delivery undo each other, and nothing else does', () => {
	const all = ORDER.flat();
	const pairs = all.flatMap((one) => all.map((other) => [one, other] as const));
	expect(pairs.filter(([one, other]) => undoes(one, other)).map((pair) => pair.join())).toEqual([
		'RECEIVED,UNDELIVERED',
		'UNDELIVERED,RECEIVED',
		'UNDELIVERED,OPENED',
		'OPENED,UNDELIVERED',
	]);
});
