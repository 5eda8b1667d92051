// What the nodes keep in n8n: lists of keys, which forget, static data and executions, which nobody redacts.
import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import type * as Sending from '../../nodes/SendLetter/SendLetter.node.ts';
import { limitKeys } from '../support/deduplication.ts';
import {
	arrived,
	readers,
	sendLetters,
	takeAll,
	verdictOf,
	type Letters,
} from '../support/letters.ts';
import { asBegun } from '../support/n8n-core.ts';
import { itAtNight } from '../support/ring.ts';
import { sendLetterWith } from './nodes.ts';
import { useStub } from './services.ts';

jest.setTimeout(120_000);

const stub = useStub();
afterEach(() => limitKeys());

const LOST = { cutAt: 0 };
const UNKNOWN = /^Outcome unknown: /;
const send = async (sendOnceKey: string, letters: Letters = {}) =>
	await sendLetters(stub.credential, { ...letters, options: { sendOnceKey, ...letters.options } });
const withoutKeys = async (count: number) =>
	await sendLetters(stub.credential, {
		items: readers(count),
		options: { groupRecipients: true },
	});

describe('neither text nor name nor address of a letter stays', () => {
	const people = JSON.stringify([
		{ email: 'ada@x.example', firstname: 'Ada', lastname: 'Byron' },
		{ email: 'bob@x.example', company: 'Bob & Sons' },
	]);
	const letter: Letters = {
		parameters: { body: '<p>A private matter</p>', recipientsJson: people },
		items: [{}, {}],
	};
	const PRIVATE = /ada@|bob@|Byron|Sons|private|invalid/;
	const answer = stubAnswerWithBody();

	it('with an execution that is stored; one that retries it says whose ID is whose', async () => {
		stub.answer = (request) =>
			arrived(stub).length === 2
				? { status: 422, body: { message: 'ada@x.example is invalid', code: 'not-allowed' } }
				: answer(request);
		const failed = await sendLetters(stub.credential, { ...letter, options: { concurrency: 1 } });
		expect(failed.error?.message).toContain('ada@x.example is invalid');
		expect(JSON.stringify(failed.run.data.executionData?.contextData)).not.toMatch(PRIVATE);

		stub.answer = answer;
		const { items } = await sendLetters(stub.credential, { ...letter, retryOf: failed.run });
		expect(items.map(({ json }) => json.messages)).toEqual(
			Array(2).fill([
				{ id: expect.any(String), email: 'ada@x.example' },
				{ id: expect.any(String), email: 'bob@x.example' },
			]),
		);
		expect(arrived(stub)).toHaveLength(3);
	});

	it('with an outcome that is unknown, in whose words somebody names it', async () => {
		stub.answer = () => ({ status: 500, body: { message: 'ada@x.example is invalid' } });
		const { error, run } = await sendLetters(stub.credential, letter);
		expect(error?.message).toMatch(/^Outcome unknown: .*ada@x\.example is invalid/);
		const kept = JSON.stringify(run.data.executionData?.contextData);
		expect(kept).toMatch('is invalid');
		expect(kept).not.toMatch(/ada@|bob@|Byron|Sons|private/);
	});

	it('with a key', async () => {
		stub.answer = answer;
		const staticData = {};
		await send('private', { ...letter, items: [{}], staticData });
		expect(JSON.stringify(staticData)).toMatch(/"sentOnce":.*"id":"\d{12}"/);
		expect(JSON.stringify(staticData)).not.toMatch(PRIVATE);

		const restarted = { node: startedAgain(), staticData };
		const { items } = await send('private', { ...letter, items: [{}], ...restarted });
		expect(items[0].json).toMatchObject({
			alreadySent: true,
			messages: [{ email: 'ada@x.example' }, { email: 'bob@x.example' }],
		});
		const { error } = await send('private', restarted);
		expect(error?.message).toMatch(/^This key was used for another letter on .*Nothing was sent/);
		expect(arrived(stub)).toHaveLength(1);
	});
});

describe('n8n’s list has room for so many keys', () => {
	it('letters without a key push out none of the user’s', async () => {
		limitKeys(20);
		stub.answer = () => LOST;
		expect((await send('pushed out')).error?.message).toMatch(UNKNOWN);
		takeAll(stub);
		await withoutKeys(30);
		const others = arrived(stub).length;
		const again = await send('pushed out', { node: startedAgain() });
		expect(again.error?.message).toMatch(UNKNOWN);
		expect(arrived(stub)).toHaveLength(others);
	});

	itAtNight('nor their answers', async () => {
		const { items } = await send('answered');
		await withoutKeys(10_050);
		const { messageId } = items[0].json;
		const again = await send('answered');
		expect(again.items[0].json).toMatchObject({ messageId, alreadySent: true });
	});

	it('a key that it has forgotten is answered all the same', async () => {
		limitKeys(5);
		const { items } = await send('forgotten');
		await send('=other {{ $json.at }}', { items: readers(10) });
		const others = arrived(stub).length;
		const again = await send('forgotten');
		const { messageId } = items[0].json;
		expect(again.items[0].json).toMatchObject({ messageId, alreadySent: true });
		expect(arrived(stub)).toHaveLength(others);
	});

	it('and none for answers: a key without one is told as that, not as a try that was interrupted', async () => {
		await send('without its answer');
		const { error } = await send('without its answer', { node: startedAgain() });
		expect(error?.message).toMatch(
			/used this key, and its answer is not kept: the letter went out/,
		);
		expect(arrived(stub)).toHaveLength(1);
	});
});

it('a key of unknown outcome stays that over a start, though its letter was rejected when sent again', async () => {
	stub.answer = () => LOST;
	expect((await send('rejected later')).error?.message).toMatch(UNKNOWN);
	stub.answer = () => ({ status: 422, body: { message: 'No', code: 'not-allowed' } });
	const again = await send('rejected later', { options: { ifOutcomeUnknown: 'sendAgain' } });
	expect(again.error?.message).toMatch(/^No/);

	takeAll(stub);
	const { error } = await send('rejected later', { node: startedAgain() });
	expect(error?.message).toMatch(UNKNOWN);
	expect(arrived(stub)).toEqual([]);
});

it('a copy of a workflow, whose nodes keep their ids, sends under the same key a letter of its own', async () => {
	await send('copied');
	const { items } = await send('copied', { workflowId: 'workflow2' });
	expect(items[0].json).not.toHaveProperty('alreadySent');
	expect(arrived(stub)).toHaveLength(2);
});

it('executions at the same time undo nothing of what each records', async () => {
	const keys = ['at the same time', 'at the very same time'];
	stub.answer = () => LOST;
	await Promise.all(keys.map(async (key) => await send(key)));
	takeAll(stub);
	for (const key of keys) {
		expect((await send(key, { node: startedAgain() })).error?.message).toMatch(UNKNOWN);
	}
	expect(arrived(stub)).toEqual([]);
});

it('the last execution to end overwrites no answer of the others', async () => {
	// Each has its own copy.
	const [first, last] = [{}, {}];
	await send('ended first', { staticData: first });
	await send('ended last', { staticData: last });
	const { items } = await send('ended first', { node: startedAgain(), staticData: last });
	expect(items[0].json).toMatchObject({ alreadySent: true });
	expect(arrived(stub)).toHaveLength(2);
});

it.each(['checkProcessedAndRecord', 'removeProcessed'] as const)(
	'where n8n’s database fails (%s), the key of a letter that was not sent is free',
	async (failing) => {
		const key = `database fails, ${failing}`;
		const node = sendLetterWith((helpers) => {
			helpers[failing] = async () => await Promise.reject(new Error('database is locked'));
		});
		stub.answer = () => ({ status: 422, body: { message: 'No', code: 'not-allowed' } });
		// The second row asks once the first is through.
		const items = [...readers(1), ...readers(1)];
		const failed = await send(key, { node, items, onError: 'continueRegularOutput' });
		expect(failed.items.map(verdictOf)).toEqual(['not sent', 'not sent']);
		takeAll(stub);
		expect((await send(key)).items.map(verdictOf)).toEqual(['sent']);
	},
	20_000,
);

it('n8n is killed in a mailing without keys: what was to leave in 20 requests is unknown, the rest goes', async () => {
	const killed = startedAgain();
	const { execute } = killed;
	const { promise: end, reject: endIt } = Promise.withResolvers<never>();
	killed.execute = async function (this: IExecuteFunctions) {
		// Which takes nothing back.
		this.helpers.removeProcessed = async () => await new Promise(() => {});
		return await Promise.race([(execute as Sending.SendLetter['execute']).call(this), end]);
	};
	const mailing: Letters = {
		items: readers(50),
		onError: 'continueRegularOutput',
		options: { concurrency: 1 },
	};
	let stop = () => {};
	stub.answer = async () => {
		stop();
		endIt(new Error('killed'));
		return await new Promise(() => {});
	};
	const onStart = (given: () => void) => (stop = given);
	const { run } = await sendLetters(stub.credential, { ...mailing, node: killed, onStart });

	takeAll(stub);
	const retried = { ...mailing, node: startedAgain(), retryOf: asBegun(run) };
	const { items } = await sendLetters(stub.credential, retried);
	const verdicts = items.map(verdictOf);
	expect(verdicts.slice(0, 20)).toEqual(Array(20).fill('unknown'));
	// No user has written a key.
	expect(String(items[0].json.error)).toContain(
		'An earlier try claimed this letter, and its answer',
	);
	expect(verdicts.slice(20)).toEqual(Array(30).fill('sent'));
});

/** The node as n8n has it after a start: with nothing in memory. */
function startedAgain(): INodeType {
	let node: INodeType | undefined;
	jest.isolateModules(() => {
		const path = '../../nodes/SendLetter/SendLetter.node.ts';
		node = new (jest.requireActual<typeof Sending>(path).SendLetter)();
	});
	return node as INodeType;
}

/** The service repeats what it was sent. */
function stubAnswerWithBody(): typeof stub.answer {
	let ids = 500;
	return ({ body }) => {
		const { body: text, recipients } = JSON.parse(body) as { body: string; recipients: unknown[] };
		const messages = recipients.map(() => ({ id: String(++ids).padStart(12, '0') }));
		return { status: 201, body: { body: text, type: 'LS', messages } };
	};
}
