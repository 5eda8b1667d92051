import { kindOfStatus } from '../../../webhook-receiver/src/event-kinds.ts';

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

it('takes FAILED and CANCELLED for the end, under the name a webhook gives it where there is one', () => {
	expect(kindOfStatus('FAILED', 'AES')).toMatchObject({
		type: 'tracked_mail.failed',
		terminal: true,
	});
	expect(kindOfStatus('FAILED', 'LRE')).toMatchObject({ type: 'lre.failed', terminal: true });
	expect(kindOfStatus('FAILED', 'LS')).toMatchObject({ type: 'unknown', terminal: true });
	expect(kindOfStatus('CANCELLED', 'LS')).toMatchObject({ type: 'unknown', terminal: true });
});
