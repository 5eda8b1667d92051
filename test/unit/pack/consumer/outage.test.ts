import { Outage, TELL_AFTER_MS } from '../../../../nodes/shared/consumer/outage.ts';

const AWAY = { refusal: false, patience: 0 };
const REFUSED = { refusal: true, patience: 0 };

it('tells of ten minutes without an answer, once', () => {
	const outage = new Outage();
	expect(TELL_AFTER_MS).toBe(600_000);
	const told = [5, 600_004, 600_005, 600_006].map((now) => outage.failed(AWAY, now));
	expect(told).toEqual([null, null, 'away', null]);
	expect(outage.failures).toBe(4);
	expect(outage.isRefused).toBe(false);
});

it('tells of a refusal at once, and again when nothing has come for ten minutes', () => {
	const outage = new Outage();
	const told = [5, 6, 600_005, 600_006].map((now) => outage.failed(REFUSED, now));
	expect(told).toEqual(['refused', null, 'away', null]);
	expect(outage.isRefused).toBe(true);
});

it('bears with a refusal as long as it is told to, counted from the first one', () => {
	const outage = new Outage();
	const patient = { refusal: true, patience: 45_000 };
	expect(outage.failed(AWAY, 0)).toBe(null);
	expect([100_000, 144_999, 145_000].map((now) => outage.failed(patient, now))).toEqual([
		null,
		null,
		'refused',
	]);
});

it('is shown for less than the 15 s that n8n tries to open a trigger again', () => {
	const outage = new Outage();
	expect(outage.isShown(0)).toBe(false);
	outage.failed(REFUSED, 100);
	expect([100, 7_100, 15_099].map((now) => outage.isShown(now))).toEqual([true, true, false]);
	const later = new Outage();
	later.failed(REFUSED, 1_000_000);
	const shown = [1_000_000, 1_011_999, 1_012_000].map((now) => later.isShown(now));
	expect(shown).toEqual([true, true, false]);
});
