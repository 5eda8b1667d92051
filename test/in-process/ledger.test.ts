// What this run of the node has sent is in its ledger: written before the request
// leaves, by run and item, and settled by the interface's own answer alone.
import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { SendLetter } from '../../nodes/SendLetter/SendLetter.node.ts';
import { readers, sendLetters, verdictOf } from '../support/letters.ts';
import type * as Pauses from '../support/short-pauses.ts';
import { sendLetterWith } from './nodes.ts';
import { startService, type Service, type Step } from './worlds/service.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withShortPauses(),
);

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterAll(() => service.close());
beforeEach(() => meets());
afterEach(() => jest.useRealTimers());

/** What the requests meet, in their order; those beyond are answered right. */
const meets = (...steps: Step[]) =>
	service.begin({ steps, handshakes: [], refused: [], namesThem: false });
const RIGHT: Step = { kind: 'right' };
const LOST: Step = { kind: 'cutAnswer', part: 0, rst: false };
const REFUSED: Step = {
	kind: 'answer',
	isDone: false,
	answer: { status: 422, body: { message: 'No', code: 'not-allowed' } },
};
const send = (letters: Parameters<typeof sendLetters>[1]) =>
	sendLetters(service.credential, letters);
const ledger = () => [...service.ledger.values()].map((ids) => ids.length);
const UNKNOWN = /^Outcome unknown: /;

describe('whatever an expression gives at the next try, what has left is not sent again', () => {
	const now = '{{ $now.toMillis() }} {{ Math.random() }}';
	it.each<[string, object]>([
		['Body', { parameters: { body: `=<p>Dear reader ${now}</p>` } }],
		['File Reference', { options: { fileReference: `=F ${now}` } }],
		['Scheduled At', { options: { scheduledAt: '={{ $now.plus({ days: 1 }).toISO() }}' } }],
		[
			'Recipients',
			{
				parameters: {
					recipientsJson: `={{ { email: $json.email, firstname: "A", lastname: "B" + Math.random() } }}`,
				},
			},
		],
	])('volatile %s', async (_title, letter) => {
		meets(LOST);
		const { error, run } = await send({ ...letter, retryOnFail: true });
		expect(error?.message).toMatch(UNKNOWN);
		expect([service.requests, ledger()]).toEqual([1, [1]]);
		expect(run.status).toBe('error');
	});

	it.each<[string, (soon: string) => object]>([
		[
			'a time that is past by then',
			(soon) => ({
				options: { scheduledAt: `={{ $itemIndex === 0 ? "${soon}" : $now.plus({ days: 1 }) }}` },
			}),
		],
		[
			'an expression that fails by then',
			(soon) => ({
				parameters: {
					body: `={{ $itemIndex === 0 && $now.toISO() > "${soon}" ? $("Nobody").first().json.a : "Dear reader" }}`,
				},
			}),
		],
	])('%s', async (_title, letterWith) => {
		jest.useFakeTimers({ now: Date.now(), doNotFake: TIMERS });
		meets({ kind: 'right' }, REFUSED);
		service.onRequest = () => {
			if (service.requests === 2) jest.setSystemTime(Date.now() + 2 * HOUR);
		};
		const soon = new Date(Date.now() + HOUR).toISOString();
		const { error, items } = await send({
			items: readers(2),
			retryOnFail: true,
			...withConcurrency(letterWith(soon)),
		});
		expect(error).toBeUndefined();
		expect(items.map(verdictOf)).toEqual(['sent', 'sent']);
		expect([service.requests, ledger()]).toEqual([3, [1, 1]]);
	});
});

describe('only the interface’s own answer is a success', () => {
	// Numbers, which get their zeros back: a text of one digit would be refused for what it is.
	const ids = (...all: Array<number | string>) => ({ messages: all.map((id) => ({ id })) });
	const html = { contentType: 'text/html', body: '<html><h1>Sign in</h1></html>' };
	const answers: Array<[string, object, RegExp]> = [
		['a message that is null', { body: { messages: [null] } }, /"\{"messages":\[null\]\}"/],
		['fewer ids', { body: { messages: [] } }, /"\{"messages":\[\]\}"/],
		['more ids', { body: ids(1, 2, 3) }, /unexpected response/],
		['an id that is none', { body: ids(1, 'soon') }, /unexpected response/],
		['one id for both', { body: ids(1, '000000000001') }, /unexpected response/],
		['a letter without an id', { body: { messages: [{ id: 1 }, {}] } }, /unexpected response/],
		['no object', { body: [ids(1, 2)] }, /unexpected response/],
		['another status', { status: 200, body: ids(1, 2) }, /HTTP status 200/],
		['a page with 200', { status: 200, ...html }, /"Sign in" with HTTP status 200/],
	];
	describe.each(['stopWorkflow', 'continueRegularOutput'] as const)('On Error: %s', (onError) => {
		it.each(answers)('%s, for two in one request', async (_title, answer, words) => {
			meets({ kind: 'answer', isDone: true, answer: { status: 201, ...answer } });
			const { error, items } = await send({
				items: readers(2),
				onError,
				retryOnFail: true,
				options: { groupRecipients: true },
			});
			expect([service.requests, ledger()]).toEqual([1, [1, 1]]);
			if (onError === 'stopWorkflow') {
				expect(error?.message).toMatch(UNKNOWN);
				expect(error?.message).toMatch(words);
				expect(items).toEqual([]);
				return;
			}
			expect(error).toBeUndefined();
			expect(items).toEqual([0, 1].map((item) => unknownItem(item, words)));
		});
	});
});

it('a letter of unknown outcome stays so when it is rejected at another try, whatever its item says by then', async () => {
	meets(LOST, REFUSED, REFUSED);
	const { run } = await send({});
	const options = { ifOutcomeUnknown: 'sendAgain' };
	const again = await send({ retryOf: run, options });
	expect(again.error?.message).toMatch(/^No/);
	const listed = await send({ retryOf: run, options, onError: 'continueRegularOutput' });
	expect(listed.items.map(verdictOf)).toEqual(['unknown']);
	const parameters = { recipientsJson: { email: 'nobody' } };
	const { error } = await send({ retryOf: again.run, parameters });
	expect(error?.message).toMatch(UNKNOWN);
});

it('what was under way when n8n was killed is unknown to a retry from the list', async () => {
	meets(REFUSED);
	let stored = '';
	const node: INodeType = new SendLetter();
	node.execute = async function () {
		service.onRequest = () => (stored = JSON.stringify(this.getContext('node')));
		return await SendLetter.prototype.execute.call(this);
	};
	const { run } = await send({ node });
	const contexts = run.data.executionData?.contextData ?? {};
	contexts['node:Under Test'] = JSON.parse(stored) as IDataObject;
	const { error } = await send({ retryOf: run });
	expect(error?.message).toMatch(/^Outcome unknown: .*An earlier attempt was interrupted/);
	expect(service.requests).toBe(1);
});

describe('a slip in our own code', () => {
	/** Send, where what n8n's helper for requests gives is partly another. */
	const sendingWith = (change: (ask: () => Promise<object>) => Promise<object>): INodeType =>
		sendLetterWith((helpers) => {
			const request = helpers.httpRequestWithAuthentication;
			helpers.httpRequestWithAuthentication = async function (...given) {
				return await change(async () => (await request.apply(this, given)) as object);
			};
		});
	const slip = () => {
		throw new TypeError('A slip of ours');
	};

	it.each(['headers', 'body'])(
		'that reads the %s of an answer leaves the letter unknown, and sends it no more',
		async (part) => {
			const node = sendingWith(async (ask) =>
				Object.defineProperty(await ask(), part, { get: slip }),
			);
			const { error } = await send({ node, retryOnFail: true });
			expect(error?.message).toMatch(/^Outcome unknown: .*A slip of ours/);
			expect([service.requests, ledger()]).toEqual([1, [1]]);
		},
	);

	it('that keeps an answer leaves the letter unknown, and its key taken', async () => {
		const node = sendingWith(async (ask) => {
			const answer = (await ask()) as { body: object };
			return { ...answer, body: { ...answer.body, toJSON: slip } };
		});
		const letter = { options: { sendOnceKey: 'kept by a slip' } };
		const tries = await send({ ...letter, node, retryOnFail: true });
		expect(tries.error?.message).toMatch(UNKNOWN);
		const later = await send(letter);
		expect(later.error?.message).toMatch(UNKNOWN);
		expect([service.requests, ledger()]).toEqual([1, [1]]);
	});

	it('that makes a request is not sent: nothing has left', async () => {
		const { error } = await send({ node: sendingWith(async () => slip()), retryOnFail: true });
		expect(error?.message).toMatch(/A slip of ours/);
		expect(error?.message).not.toMatch(UNKNOWN);
		expect(service.requests).toBe(0);
	});
});

it('after the first that is refused no more leave', async () => {
	meets(RIGHT, REFUSED);
	const { error } = await send({ items: readers(5), ...withConcurrency({}) });
	expect(error?.message).toMatch(/^No/);
	expect([service.requests, ledger()]).toEqual([2, [1]]);
});

it('two nodes of an execution have each a ledger', async () => {
	const node = new SendLetter();
	node.execute = async function (this: IExecuteFunctions) {
		const named = (name: string) => {
			const memory = {};
			const getNode = () => ({ ...this.getNode(), name });
			return Object.assign(Object.create(this), {
				getNode,
				getContext: () => memory,
			}) as typeof this;
		};
		const { execute } = SendLetter.prototype;
		const [first] = await execute.call(named('Invoice'));
		const [second] = await execute.call(named('Reminder'));
		return [[...first, ...second]];
	};
	const { items } = await send({ node });
	expect(items.map(({ json }) => json.alreadySent ?? false)).toEqual([false, false]);
	expect(service.requests).toBe(2);
});

it('the rounds of a loop have each a ledger: what was refused goes out as another round’s first item', async () => {
	meets(RIGHT, REFUSED);
	const loop = { onError: 'continueErrorOutput', rounds: 1, restores: true } as const;
	await send({ items: readers(2), ...loop, ...withConcurrency({}) });
	expect([service.requests, ledger()]).toEqual([3, [1, 1]]);
});

function unknownItem(item: number, words: RegExp): INodeExecutionData {
	const error = expect.stringMatching(new RegExp(`${UNKNOWN.source}.*${words.source}`)) as string;
	const details = expect.objectContaining({ code: 'outcome-unknown' }) as IDataObject;
	return { json: { error, details }, pairedItem: { item } };
}

/** One after the other, so that the second is refused when the first has left. */
function withConcurrency(letter: { options?: object }) {
	return { ...letter, options: { ...letter.options, concurrency: 1 } };
}

const HOUR = 60 * 60 * 1000;

/** Everything but the date. */
const TIMERS = [
	...(['nextTick', 'setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
	...(['setTimeout', 'clearTimeout', 'queueMicrotask', 'hrtime', 'performance'] as const),
];
