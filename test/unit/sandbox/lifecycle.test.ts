import {
	evidenceTypes,
	nextStatus,
	possibleTriggers,
	TRACKED_EVENTS,
	TRIGGERS,
} from '../../../sandbox/src/delivery/lifecycle.ts';
import { refusal, CERTIFICATE_USE_MS } from '../../../sandbox/src/http/authentication.ts';
import { plannedSteps } from '../../../sandbox/src/delivery/test-address.ts';
import { MESSAGE_STATUSES } from '../../../sandbox/src/state/model.ts';

const transitions = (type: 'AES' | 'LS' | 'LRE') =>
	MESSAGE_STATUSES.flatMap((from) =>
		TRIGGERS.map((trigger) => [from, trigger, nextStatus(type, from, trigger)]),
	)
		.filter(([from, , to]) => to !== null && to !== from)
		.map((transition) => transition.join(' '));

it('[STAT-02][STAT-03][STAT-04][STAT-05][STAT-06][STAT-07][S] tracked mail moves just so', () => {
	expect(transitions('AES')).toEqual([
		'SCHEDULED fail FAILED',
		'SENT deliver RECEIVED',
		'SENT bounce UNDELIVERED',
		'SENT fail FAILED',
		'RECEIVED open OPENED',
		'RECEIVED bounce UNDELIVERED',
		'RECEIVED expire EXPIRED',
		'OPENED bounce UNDELIVERED',
		'UNDELIVERED deliver RECEIVED',
	]);
});

it('[EVNT-01][S] tracked mail has a webhook for what happens to it, none for its expiry', () => {
	expect(TRACKED_EVENTS).toEqual({
		send: 'sent',
		deliver: 'received',
		open: 'opened',
		bounce: 'undelivered',
		fail: 'failed',
	});
});

it('a simple letter is opened, bounces, or expires', () => {
	expect(transitions('LS')).toEqual([
		'SCHEDULED fail FAILED',
		'SENT open RECEIVED',
		'SENT bounce UNDELIVERED',
		'SENT fail FAILED',
		'SENT expire EXPIRED',
		'UNDELIVERED deliver SENT',
	]);
});

it.each([
	['AES', 'OPENED', ['open', 'bounce']],
	['LS', 'SENT', ['deliver', 'open', 'bounce', 'fail', 'expire']],
	['LS', 'RECEIVED', ['open']],
	['LRE', 'SENT', ['deliver', 'open', 'bounce', 'accept', 'refuse', 'fail', 'expire']],
	['LRE', 'ACCEPTED', ['open']],
	['LRE', 'REFUSED', []],
] as const)('%s that is %s can go through %j, the same again included', (type, status, can) => {
	expect(possibleTriggers(type, status)).toEqual(can);
});

it('a registered letter is decided once', () => {
	expect(transitions('LRE')).toEqual([
		'SCHEDULED fail FAILED',
		'SENT bounce UNDELIVERED',
		'SENT accept ACCEPTED',
		'SENT refuse REFUSED',
		'SENT fail FAILED',
		'SENT expire EXPIRED',
		'UNDELIVERED deliver SENT',
	]);
});

it('[AES-04][EVID-01][S] evidences are of these events', () => {
	expect(evidenceTypes('MT')).toEqual([]);
	expect(evidenceTypes('AS')).toEqual(['SENT', 'EXPIRED', 'UNDELIVERED']);
	expect(evidenceTypes('LS')).toEqual(['SENT', 'EXPIRED', 'UNDELIVERED', 'RECEIVED']);
	expect(evidenceTypes('LRE')).toEqual(['SENT', 'EXPIRED', 'UNDELIVERED', 'ACCEPTED', 'REFUSED']);
});

it.each([
	['open@x', 'AES', ['deliver', 'open']],
	['Accept+1@x', 'LRE', ['deliver', 'accept']],
	['accept@x', 'AES', ['deliver']],
	['opener@x', 'AES', ['deliver']],
	['never@x', 'LS', ['deliver']],
	['bounce-then-receive@x', 'LS', ['bounce', 'deliver', 'open']],
] as const)('%s steers %s to %j', (email, type, steps) => {
	expect(plannedSteps(email, type)).toEqual(steps);
});

describe('[AUTH-03][TYPE-02][S] a certificate', () => {
	const now = 1_000_000_000_000;
	const good = { expiresAt: now + 1, firstUsedAt: now - CERTIFICATE_USE_MS };

	it('is accepted up to its end and a year after its first use', () => {
		expect(refusal({ kyc: true }, good, now)).toBeNull();
		expect(refusal({ kyc: true }, { ...good, firstUsedAt: null }, now)).toBeNull();
	});

	it.each([
		['not registered', undefined, true, 'not registered'],
		['without KYC', good, false, 'identity'],
		['expired', { ...good, expiresAt: now }, true, 'expired'],
		['used too long', { ...good, firstUsedAt: good.firstUsedAt - 1 }, true, 'more than a year'],
	])('that is %s is refused', (_title, certificate, kyc, reason) => {
		expect(refusal({ kyc }, certificate, now)).toContain(reason);
	});
});
