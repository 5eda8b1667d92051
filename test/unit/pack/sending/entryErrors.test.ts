import type { IDataObject } from 'n8n-workflow';

import type { ItemError } from '../../../../nodes/shared/items/perItem.ts';
import type { Entry, Posting } from '../../../../nodes/shared/sending/entry.ts';
import {
	errorTextOf,
	isAboutEntries,
	isolatedErrors,
	notSent,
	recalled,
	sharedErrors,
	unknownErrors,
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
	const ADVICE = 'Correct the recipients listed here. Nothing was sent.';
	const told = (errors: ItemError[]) =>
		errors.map(({ message, description, context: { itemIndex } }) => [
			...[itemIndex, message, description],
		]);

	it('[SEND-11][N] of a shared request: the culprits why, the others whose fault it was', () => {
		const reason = notSent(
			posting,
			'not sent',
			answer(bad('cid'), bad('eve'), bad('dan')),
			entries,
		);
		expect(reason.verdict).toBe('not sent');
		const { errors, summary } = sharedErrors(context, posting, entries, reason);
		const refused = 'Bad contacts (message-bad-contacts)';
		expect(told(errors)).toEqual([
			[0, 'Because of items 1, 2', 'Mend it.'],
			[1, refused, `Recipient 2, <cid@x.example>: cid is bad\n${ADVICE}`],
			[2, refused, `<eve@x.example>: eve is bad\n<dan@x.example>: dan is bad\n${ADVICE}`],
			[2, refused, `<eve@x.example>: eve is bad\n<dan@x.example>: dan is bad\n${ADVICE}`],
		]);
		expect(told([summary])).toEqual([
			[
				...[1, `${refused} [item 1, 2]`],
				`Item 1: Recipient 2, <cid@x.example>: cid is bad\nItem 2: <eve@x.example>: eve is bad\nItem 2: <dan@x.example>: dan is bad\n${ADVICE}`,
			],
		]);
	});

	it('[SEND-11][N] by the order of the items, whatever that of the refusals', () => {
		const reason = notSent(posting, 'not sent', answer(bad('dan'), bad('ada')), entries);
		const { errors, summary } = sharedErrors(context, posting, entries, reason);
		expect(summary.message).toBe('Bad contacts (message-bad-contacts) [item 0, 2]');
		expect(summary.context.itemIndex).toBe(0);
		expect(errors[1].message).toBe('Because of items 0, 2');
	});

	it('one culprit is an item, and what is about nobody in particular ends the summary', () => {
		const nobody = { message: 'The list is odd' };
		const reason = notSent(posting, 'not sent', answer(nobody, bad('ada')), entries);
		expect(reason.unlocated).toEqual(['The list is odd']);
		const { errors, summary } = sharedErrors(context, posting, entries, reason);
		expect(errors[1].message).toBe('Because of item 0');
		expect(summary.description).toBe(
			`Item 0: <ada@x.example>: ada is bad\nThe list is odd\n${ADVICE}`,
		);
		expect(summary.message).toBe('Bad contacts (message-bad-contacts) [item 0]');
	});

	it('where nobody is named, all are told all there is', () => {
		const reason = notSent(posting, 'not sent', answer({ message: 'The list is odd' }), entries);
		const { errors, summary } = sharedErrors(context, posting, entries, reason);
		const description = `The list is odd\n${ADVICE}`;
		expect(told(errors)).toEqual(
			[0, 1, 2, 2].map((item) => [item, 'Bad contacts (message-bad-contacts)', description]),
		);
		expect(summary).toBe(errors[0]);
	});

	it('without a wording for it, the others are told the error itself', () => {
		const plain = { ...posting, bystander: undefined };
		const reason = notSent(plain, 'not sent', answer(bad('ada')), entries);
		const { errors } = sharedErrors(context, plain, entries, reason);
		expect(errors[1].message).toBe('Bad contacts (message-bad-contacts)');
	});

	it('of requests of their own: each its own reasons, or all there are', () => {
		const reason = notSent(posting, 'not sent', answer(bad('ada'), bad('cid')), entries);
		const { errors, summary } = isolatedErrors(context, entries, reason);
		expect(errors.map(({ description }) => description)).toEqual([
			`<ada@x.example>: ada is bad\n${ADVICE}`,
			`Recipient 2, <cid@x.example>: cid is bad\n${ADVICE}`,
			...Array<string>(2).fill(
				`<ada@x.example>: ada is bad\n<cid@x.example>: cid is bad\n${ADVICE}`,
			),
		]);
		expect(summary).toBe(errors[0]);
	});

	it('an error that rejects nothing is about nobody', () => {
		const away = { message: 'No answer.', description: '', code: null, status: null };
		expect(notSent(posting, 'unknown', away, entries)).toEqual({
			...{ verdict: 'unknown', error: away, reasons: new Map(), unlocated: [] },
		});
	});

	it('where there is no advice, the reasons stand alone', () => {
		const bare = readServiceError(400, { message: 'Bad contacts', data: [bad('ada')] });
		const { errors } = isolatedErrors(
			context,
			entries,
			notSent(posting, 'not sent', bare, entries),
		);
		expect(errors[0].description).toBe('<ada@x.example>: ada is bad');
	});

	it('an operation may add what it knows, and rows without an address go by their number', () => {
		const explained = {
			...posting,
			rows: undefined,
			explain: (found: ReturnType<typeof answer>, { length }: Row[]) => ({
				...{ ...found, message: `Of ${length}` },
			}),
		};
		const numbered = answer({ index: 0, message: 'first' }, { index: 2, message: 'third' });
		const reason = notSent(explained, 'unknown', numbered, entries);
		expect(reason.error.message).toBe('Of 4');
		expect([...reason.reasons]).toEqual([
			[entries[0], ['first']],
			[entries[2], ['third']],
		]);
	});

	it('of an unknown outcome: what may be, why, and what to do', () => {
		const failed = { message: 'No answer.', description: '', code: null, status: null };
		const { errors, summary } = unknownErrors(context, posting, entries.slice(1, 3), failed);
		expect(told(errors)).toEqual(
			[1, 2].map((item) => [
				...[item, `Outcome unknown: it may have been sent. No answer. [item ${item}]`],
				'Look first.',
			]),
		);
		expect(errors[0].context.data).toMatchObject({ code: 'outcome-unknown', status: null });
		expect(summary).toBe(errors[0]);
	});

	it('a retry tells again what became of an entry, and sends nothing twice', () => {
		const output: IDataObject = { messageId: '000000000001' };
		expect(recalled(context, posting, { state: 'sent', output }, 0)).toEqual({
			...{ verdict: 'sent', output },
		});
		const leaving = recalled(context, posting, { state: 'leaving' }, 3);
		expect(leaving).toMatchObject({
			verdict: 'unknown',
			error: {
				message:
					'Outcome unknown: it may have been sent. An earlier attempt was interrupted while it was being sent. [item 3]',
				description: 'Look first.',
			},
		});
		for (const state of ['not sent', 'unknown'] as const) {
			const error = { message: 'Why', description: 'What to do', data: { code: 'c', more: 1 } };
			const again = recalled(context, posting, { state, error }, 2);
			if (again.verdict === 'sent') throw new Error('It was not sent.');
			expect(again.verdict).toBe(state);
			expect(again.error.context.itemIndex).toBe(2);
			// Whatever goes through the ledger comes out as it was.
			expect(errorTextOf(again.error)).toEqual(error);
		}
	});

	it('an error without details is kept as one', () => {
		const bare = { message: 'Why', context: {} } as ItemError;
		expect(errorTextOf(bare)).toEqual({ message: 'Why', description: '', data: {} });
	});
});
