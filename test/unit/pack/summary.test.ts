import { summary } from '../../../nodes/GetStatus/summary.ts';

const message = (status: string, ...types: string[]) => ({
	id: '000000000123',
	status,
	evidences: types.map((eventType) => ({ eventType })),
});

it.each<[string, string[], boolean | null]>([
	['ACCEPTED', [], true],
	['REFUSED', [], true],
	['EXPIRED', [], true],
	['OPENED', [], true],
	['SCHEDULED', [], false],
	['SENT', ['SENT'], false],
	['UNDELIVERED', ['UNDELIVERED'], false],
	// A simple letter has evidence of it, and tracked mail never has any.
	['RECEIVED', ['SENT', 'RECEIVED'], true],
	['RECEIVED', ['SENT'], false],
	['RECEIVED', [], false],
	['HELD', ['RECEIVED'], null],
	['', [], null],
])('[READ-06][N] %s with evidence of %j is final: %s', (status, types, final) => {
	expect(summary(message(status, ...types) as never)).toMatchObject({ status, final });
});

it('[READ-02][N] names each kind of evidence once', () => {
	expect(summary(message('SENT', 'SENT', 'RECEIVED', 'SENT') as never)).toEqual({
		messageId: '000000000123',
		status: 'SENT',
		final: false,
		evidenceTypes: ['SENT', 'RECEIVED'],
	});
});
