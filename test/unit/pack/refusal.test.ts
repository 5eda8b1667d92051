import { reasonsFor, type SentEntry } from '../../../nodes/shared/atomicFailure.ts';
import { ABOUT_PEOPLE, isAboutEntries } from '../../../nodes/shared/refusal.ts';
import { describeFailure } from '../../../nodes/shared/serviceError.ts';

const failure = (status: number | null, code: string | null = null) => ({
	message: '',
	description: '',
	status,
	code,
});

it.each<[string, number | null, string | null, 'no' | 'unknown', boolean]>([
	['wrong recipients', 422, 'message-bad-contacts', 'no', true],
	['an unknown code', 422, 'not-today', 'no', true],
	['no code', 400, null, 'no', true],
	['a customer', 422, 'customer-not-found', 'no', false],
	['a wrong token', 401, 'unauthorized', 'no', false],
	['the rate limit', 429, null, 'no', false],
	['a fault of the service', 500, null, 'unknown', false],
	['no connection', null, 'ECONNREFUSED', 'no', false],
	['anything that may have been carried out', 422, null, 'unknown', false],
])('whether %s is about some of the entries', (_, status, code, carried, expected) => {
	expect(isAboutEntries(failure(status, code), carried, ABOUT_PEOPLE)).toBe(expected);
});

describe('whom the service means', () => {
	const sent: SentEntry[] = ['a', 'b', 'c', 'c'].map((name, itemIndex) => ({
		itemIndex,
		email: `${name}@x.example`,
	}));
	const meant = (...data: unknown[]) => [
		...reasonsFor(describeFailure(422, { code: 'message-bad-contacts', data }), sent).keys(),
	];
	const message = 'Bad';

	it.each<[string, unknown, number[]]>([
		['a position', { index: 1, message }, [1]],
		['a position and the address there', { index: 1, email: 'b@x.example', message }, [1]],
		['an address that was sent once', { email: 'b@x.example', message }, [1]],
		['an address that was sent twice', { email: 'c@x.example', message }, []],
		['that address, and one of its positions', { index: 3, email: 'c@x.example', message }, [3]],
		['a position counted otherwise', { index: 2, email: 'b@x.example', message }, [1]],
		['a position that does not fit its address', { index: 0, email: 'z@x.example', message }, []],
		['a position nobody has', { index: 9, message }, []],
		['a field path', { field: 'recipients.2.email', message }, [2]],
	])('%s', (_, problem, expected) => {
		expect(meant(problem)).toEqual(expected);
	});
});
