import { normalise } from '../../../webhook-receiver/src/core/normalise.ts';
import { readTraceparent } from '../../../webhook-receiver/src/core/traceparent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const GOOD = `00-${TRACE}-${PARENT}-01`;

it.each([
	['as it is', GOOD, GOOD],
	[
		'of a later version',
		`01-${TRACE}-${PARENT}-01-what-comes`,
		`01-${TRACE}-${PARENT}-01-what-comes`,
	],
	['missing', undefined, null],
	['empty', '', null],
	['twice', [GOOD, GOOD], null],
	['in upper case', GOOD.toUpperCase(), null],
	['of the forbidden version', `ff-${TRACE}-${PARENT}-01`, null],
	['with more than its version has', `${GOOD}-more`, null],
	['of no trace', `00-${'0'.repeat(32)}-${PARENT}-01`, null],
	['of no parent', `00-${TRACE}-${'0'.repeat(16)}-01`, null],
	['too short', `00-${TRACE.slice(1)}-${PARENT}-01`, null],
	['with a line break', `${GOOD}\n`, null],
	['after something else', `x${GOOD}`, null],
	['too long', `01-${TRACE}-${PARENT}-01-${'a'.repeat(200)}`, null],
	['of another alphabet', `00-${'g'.repeat(32)}-${PARENT}-01`, null],
])('a header %s', (_, header, expected) => {
	expect(readTraceparent(header)).toBe(expected);
	const { event } = normalise({ event: 'aes_sent' }, { traceparent: header });
	expect(event.traceparent).toBe(expected);
});
