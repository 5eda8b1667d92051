import { errorTextOf, type ItemError } from '../../../../nodes/shared/items/perItem.ts';
import type { Entry, Posting } from '../../../../nodes/shared/sending/entry.ts';
import {
	interrupted,
	isAboutEntries,
	itemErrorOf,
	refusalOf,
	unknownOutcome,
} from '../../../../nodes/shared/sending/entryErrors.ts';
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
	['a customer who has not accepted', 422, 'customer-not-registered', false],
	['a wrong token', 401, 'unauthorized', false],
	['the rate limit', 429, null, false],
	['a fault of the service', 500, null, false],
	['no connection', null, 'ECONNREFUSED', false],
])('whether %s is about some of the entries', (_, status, code, expected) => {
	expect(isAboutEntries(error(status, code))).toBe(expected);
});

describe('what each item is told', () => {
	const context = { getNode: () => ({ name: 'Send', type: 'send', parameters: {} }) as never };
	interface Row extends Entry {
		people: string[];
	}
	// Item 0 has one person, item 1 has two, item 2 has one in each of two entries.
	const entries: Row[] = [
		{ itemIndex: 0, people: ['ada'] },
		{ itemIndex: 1, people: ['ben', 'cid'] },
		{ itemIndex: 2, people: ['dan'] },
		{ itemIndex: 2, people: ['eve'] },
	];
	const posting: Posting<Row> = {
		request: () => ({ method: 'POST' as const, path: '/' }),
		read: () => null,
		expects: '',
		unclear: { mayBe: 'it may have been sent', advice: 'Look first.' },
		rows: ({ people }) =>
			people.map((name, at) => ({
				email: `${name}@x.example`,
				...(people.length > 1 && { recipient: at }),
			})),
		bystander: (culprits) => ({ message: `Because of ${culprits}`, description: 'Mend it.' }),
	};
	const bad = (name: string) => ({ email: `${name}@x.example`, message: `${name} is bad` });
	const answer = (...data: unknown[]) =>
		readServiceError(422, { code: 'message-bad-contacts', message: 'Bad contacts', data });
	const ADVICE = 'Correct the recipients listed here. Nothing of this request was carried out.';
	const refused = 'Bad contacts (message-bad-contacts)';
	/** What the entries are told, and what ends the run: message and description. */
	const told = (
		given: ReturnType<typeof answer>,
		{ isIsolating = false, by = posting }: { isIsolating?: boolean; by?: Posting<Row> } = {},
	) => {
		const { errorOf, summary } = refusalOf(by, given, entries, isIsolating);
		const words = ({ message, description }: ReturnType<typeof errorOf>) => [message, description];
		return {
			each: entries.map((entry) => words(errorOf(entry))),
			summary: summary && words(summary),
		};
	};

	it('[SEND-11][N] of a shared request: the culprits why, the others whose fault it was', () => {
		expect(told(answer(bad('cid'), bad('eve'), bad('dan')))).toEqual({
			each: [
				['Because of rows 2, 3', 'Mend it.'],
				[refused, `Recipient 2, <cid@x.example>: cid is bad\n${ADVICE}`],
				[refused, `<eve@x.example>: eve is bad\n<dan@x.example>: dan is bad\n${ADVICE}`],
				[refused, `<eve@x.example>: eve is bad\n<dan@x.example>: dan is bad\n${ADVICE}`],
			],
			summary: [
				`${refused} [rows 2, 3]`,
				`Row 2: Recipient 2, <cid@x.example>: cid is bad\nRow 3: <eve@x.example>: eve is bad\nRow 3: <dan@x.example>: dan is bad\n${ADVICE}`,
			],
		});
	});

	it('[SEND-11][N] by the order of the items, whatever that of the refusals', () => {
		const { each, summary } = told(answer(bad('dan'), bad('ada')));
		expect(summary?.[0]).toBe(`${refused} [rows 1, 3]`);
		expect(each[1][0]).toBe('Because of rows 1, 3');
	});

	it('one culprit is an item, and what is about nobody in particular ends the summary', () => {
		const { each, summary } = told(answer({ message: 'The list is odd' }, bad('ada')));
		expect(each[1][0]).toBe('Because of row 1');
		expect(summary).toEqual([
			`${refused} [row 1]`,
			`Row 1: <ada@x.example>: ada is bad\nThe list is odd\n${ADVICE}`,
		]);
	});

	it('where nobody is named, all are told all there is', () => {
		const words = [refused, `The list is odd\n${ADVICE}`];
		expect(told(answer({ message: 'The list is odd' }))).toEqual({
			each: Array(4).fill(words),
		});
	});

	it('without a wording for it, the others are told the error itself', () => {
		const { each } = told(answer(bad('ada')), { by: { ...posting, bystander: undefined } });
		expect(each[1][0]).toBe(refused);
	});

	it('of requests of their own: each its own reasons, or all there are', () => {
		const { each } = told(answer(bad('ada'), bad('cid'), bad('dan')), { isIsolating: true });
		expect(each.map(([, description]) => description)).toEqual([
			`<ada@x.example>: ada is bad\n${ADVICE}`,
			`Recipient 2, <cid@x.example>: cid is bad\n${ADVICE}`,
			`<dan@x.example>: dan is bad\n${ADVICE}`,
			`<ada@x.example>: ada is bad\n<cid@x.example>: cid is bad\n<dan@x.example>: dan is bad\n${ADVICE}`,
		]);
	});

	it('an error that rejects nothing is about nobody', () => {
		const away = { message: 'No answer.', description: 'Wait.', code: 'AWAY', status: null };
		const { faulty, errorOf } = refusalOf(posting, away, entries, false);
		expect(faulty).toEqual([]);
		expect(errorOf(entries[1])).toEqual({
			message: 'No answer.',
			description: 'Wait.',
			data: { code: 'AWAY', status: null },
		});
	});

	it('where there is no advice, the reasons stand alone', () => {
		const bare = readServiceError(400, { message: 'Bad contacts', data: [bad('ada')] });
		expect(told(bare).each[0]).toEqual(['Bad contacts', '<ada@x.example>: ada is bad']);
	});

	it('an operation may add what it knows, and rows without an address go by the field path', () => {
		const explained = {
			...posting,
			rows: undefined,
			explain: (found: ReturnType<typeof answer>, { length }: Row[]) => ({
				...found,
				message: `Of ${length}`,
			}),
		};
		const numbered = answer(
			{ field: 'ids.0', message: 'first' },
			{ field: 'ids.2', message: 'third' },
		);
		const { faulty, errorOf } = refusalOf(explained, numbered, entries, true);
		expect(faulty).toEqual([entries[0], entries[2]]);
		expect(errorOf(entries[2])).toMatchObject({
			message: 'Of 4',
			description: `third\n${ADVICE}`,
		});
	});

	it('of an unknown outcome: what may be, why, and what to do', () => {
		expect(unknownOutcome(posting, 'No answer.', 2)).toEqual({
			message: 'Outcome unknown: it may have been sent. No answer. [row 3]',
			description: 'Look first.',
			data: { code: 'outcome-unknown', status: null },
		});
	});

	it('an error keeps its status and its item, if it is about one', () => {
		const text = { message: 'Why', description: 'What to do', data: { code: 'c', status: 422 } };
		const ofItem = itemErrorOf(context, text, 2);
		expect(ofItem).toMatchObject({ httpCode: '422', context: { itemIndex: 2, data: text.data } });
		expect(itemErrorOf(context, text).context.itemIndex).toBeUndefined();
	});

	it('what was leaving when a try broke off is of unknown outcome, and an error stays what it was', () => {
		expect(interrupted(posting, 3)).toMatchObject({
			state: 'unknown',
			error: {
				message:
					'Outcome unknown: it may have been sent. An earlier attempt was interrupted while it was being sent. [row 4]',
				description: 'Look first.',
			},
		});
		const error = { message: 'Why', description: 'What to do', data: { code: 'c', more: 1 } };
		// Whatever goes through n8n's error comes out as it was.
		expect(errorTextOf(itemErrorOf(context, error, 2))).toEqual(error);
	});

	it('an error without details is kept as one', () => {
		const bare = { message: 'Why', context: {} } as ItemError;
		expect(errorTextOf(bare)).toEqual({ message: 'Why', description: '', data: {} });
	});
});
