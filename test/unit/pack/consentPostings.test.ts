// How consents are asked for and reminded of, and which answers say that it was done.
import { readCollection } from '../../../nodes/shared/fields/field.ts';
import { reminderPosting } from '../../../nodes/shared/consents/reminder.ts';
import {
	delayField,
	requestPosting,
	termsKey,
	type ConsentRequest,
} from '../../../nodes/shared/consents/request.ts';
import { nothingCreated } from '../../../nodes/shared/sending/entry.ts';

const request = (name: string, change: Partial<ConsentRequest> = {}): ConsentRequest => ({
	itemIndex: 0,
	terms: { type: 'EMAIL', delayInDays: 30 },
	recipient: { email: `${name}@example.com`, company: name },
	...change,
});
const all = [request('ada'), request('ben', { itemIndex: 1, position: 2 })];

it('[CONS-01][N] those on the same terms go out together, in one request', () => {
	const other = request('ada', { terms: { type: 'LINK', delayInDays: 30 } });
	expect(termsKey(all[0])).toBe(termsKey(all[1]));
	expect(termsKey(other)).not.toBe(termsKey(all[0]));
	expect(requestPosting.request(all)).toEqual({
		method: 'POST',
		path: '/consents/bulkStore',
		body: {
			type: 'EMAIL',
			delayInDays: 30,
			recipients: all.map(({ recipient }) => recipient),
		},
	});
});

it('[CONS-01][N] an answer with a consent for each says that they were asked; no other does', () => {
	const created = [
		{ id: 'c2', email: 'ben@example.com' },
		{ id: 'c1', email: 'ada@example.com' },
	];
	expect(requestPosting.read(201, created, all)).toEqual([created[1], created[0]]);
	expect(requestPosting.read(200, created, all)).toBeNull();
	expect(requestPosting.read(201, created.slice(1), all)).toBeNull();
	expect(requestPosting.read(201, [created[0], created[0]], all)).toBeNull();
	expect(requestPosting.expects).toBe('201 and a consent with an ID of its own for each recipient');
});

it('[CONS-05][N] each is found by its address, and by its place among those of its item', () => {
	expect(all.map((one) => requestPosting.rows?.(one))).toEqual([
		[{ email: 'ada@example.com', recipient: undefined }],
		[{ email: 'ben@example.com', recipient: 2 }],
	]);
	expect(requestPosting.details?.(all[0])).toEqual({ email: 'ada@example.com' });
});

it('[CONS-05][N] nothing was created for anyone if one was at fault, and each is told', () => {
	const error = { message: 'Bad recipients', description: '', code: null, status: 422 };
	const option = { displayName: 'Skip Rejected Recipients' };
	expect(nothingCreated(option)('item 3', error)).toEqual({
		message: 'Nothing was created because of item 3: Bad recipients',
		description:
			"All items go in one request, which the service processes as a whole or not at all. Nothing is wrong with this item. Correct item 3, then run again, or turn on 'Skip Rejected Recipients'.",
	});
});

it.each<[object, number | undefined, string[]]>([
	[{ delayInDays: 0 }, 0, []],
	[{ delayInDays: '30' }, 30, []],
	[{}, undefined, []],
	[{ delayInDays: -1 }, undefined, ['Delay (Days)']],
	[{ delayInDays: 1.5 }, undefined, ['Delay (Days)']],
])('[CONS-04][N] of the options %j the delay is %s days', (values, days, complaints) => {
	const collection = { value: values, raw: values };
	const read = readCollection({ getTimezone: () => 'UTC' }, collection, { delayField });
	expect(read.values.delayField).toBe(days);
	expect(read.problems.map(({ parameter }) => parameter)).toEqual(complaints);
});

describe('[CONS-08][N] a reminder', () => {
	const one = [{ itemIndex: 0, consentId: 'c1' }];

	it('is a request for its consent', () => {
		expect(reminderPosting.request(one)).toEqual({ method: 'POST', path: '/consents/c1/remind' });
	});

	it.each<[number, unknown, unknown]>([
		[200, { message: 'Reminded' }, [{ consentId: 'c1', message: 'Reminded' }]],
		[201, { message: 'Reminded' }, null],
		[200, {}, null],
		[200, { message: 1 }, null],
		[200, 'Reminded', null],
	])('answered by %d and %j', (status, body, expected) => {
		expect(reminderPosting.read(status, body, one)).toEqual(expected);
	});

	it('tells people what to look for before they repeat it', () => {
		expect(reminderPosting.expects).toBe('200 and a message');
		expect(reminderPosting.unclear.mayBe).toBe('the reminder may have been sent');
		expect(requestPosting.unclear.mayBe).toBe('the recipients may have been asked');
		const LOOK = /^The request was sent, but no clear response came back\. Check in the dashboard/;
		expect(reminderPosting.unclear.advice).toMatch(LOOK);
		expect(requestPosting.unclear.advice).toMatch(LOOK);
	});
});
