import type { Entry } from '../../../../nodes/shared/sending/entry.ts';
import { isAboutEntries, notSent } from '../../../../nodes/shared/sending/entryErrors.ts';
import { readServiceError } from '../../../../nodes/shared/transport/serviceError.ts';

const error = (status: number | null, code: string | null = null) => ({
	message: '',
	description: '',
	status,
	code,
});

it.each<[string, number | null, string | null, boolean]>([
	['wrong recipients', 422, 'message-bad-contacts', true],
	['an unknown code', 422, 'not-today', true],
	['no code', 400, null, true],
	['a customer', 422, 'customer-not-found', false],
	['a wrong token', 401, 'unauthorized', false],
	['the rate limit', 429, null, false],
	['a fault of the service', 500, null, false],
	['no connection', null, 'ECONNREFUSED', false],
])('whether %s is about some of the entries', (_, status, code, expected) => {
	expect(isAboutEntries(error(status, code))).toBe(expected);
});

describe('whom the service means', () => {
	const names = ['a', 'b', 'c', 'c'];
	const sent: Entry[] = names.map((_, itemIndex) => ({ itemIndex }));
	const posting = {
		request: () => ({ method: 'POST' as const, path: '/' }),
		read: () => null,
		...{ expects: '', unclear: { mayBe: '', advice: '' } },
		rows: ({ itemIndex }: Entry) => [{ email: `${names[itemIndex]}@x.example` }],
	};
	const meant = (...data: unknown[]) => {
		const answer = readServiceError(422, { code: 'message-bad-contacts', data });
		return sent.flatMap((entry, at) =>
			notSent(posting, 'not sent', answer, sent).reasons.has(entry) ? [at] : [],
		);
	};
	const message = 'Bad';

	it.each<[string, unknown, number[]]>([
		['a position that may count from 0 or 1', { index: 1, message }, []],
		['one that can only count from 0', { index: 0, message }, [0]],
		['a position and the address there', { index: 1, email: 'b@x.example', message }, [1]],
		['an address that was sent once', { email: 'b@x.example', message }, [1]],
		['an address that was sent twice', { email: 'c@x.example', message }, []],
		[
			'that address, and a position that may be either',
			{ index: 3, email: 'c@x.example', message },
			[],
		],
		['a position counted otherwise', { index: 2, email: 'b@x.example', message }, [1]],
		['a position that does not fit its address', { index: 0, email: 'z@x.example', message }, []],
		['a position nobody has', { index: 9, message }, []],
		['a field path', { field: 'recipients.2.email', message }, [2]],
	])('%s', (_, problem, expected) => {
		expect(meant(problem)).toEqual(expected);
	});
});
