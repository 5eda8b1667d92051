// What a sleeping node finds again by expressions, whatever the nodes are called: n8n's own engine reads
// them, and has its own ideas of what ends one.
import fc from 'fast-check';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import { serve, type HttpServer } from '../support/http-server.ts';
import { byReceiver } from '../support/sandbox.ts';
import { left, SleepingN8n, untilAsleep } from './sleeping-n8n.ts';

/** What the node has told the receiver last. */
let registered: { waitId: string; secret: string };
let receiver: HttpServer;
let n8n: SleepingN8n;
beforeAll(async () => {
	receiver = await serve((request, response) => {
		void (async () => {
			const answer = (body: object) =>
				response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
			if (request.url === '/clock') return answer({ now: new Date().toISOString() });
			// Who sleeps pulls, too, until nobody waits.
			const nothing = { batches: [], wakeUps: [], waiting: 0, watching: false };
			if (request.method !== 'PUT') return answer(nothing);
			const { secret } = JSON.parse((await request.toArray()).join('')) as { secret: string };
			registered = { waitId: request.url?.split('/').at(-1) ?? '', secret };
			return answer({ waitId: registered.waitId, pulling: 1, watching: true });
		})();
	});
	n8n = await SleepingN8n.start(new AwaitOutcome());
});
afterAll(async () => {
	n8n.close();
	await receiver.close();
});

const messageId = '000000000123';

/** What leaves a node of that name, behind another one, once it was woken. */
async function woken(...names: [own: string, before: string]) {
	const execution = await untilAsleep(
		n8n.run({
			names,
			credentials: { registeredDeliveryApi: byReceiver(receiver.url, 'token') },
			items: [{ json: { messageId, name: 'a' } }],
			mode: 'trigger',
		}),
	);
	const outcome = { outcome: 'accepted', status: null, occurredAt: null, event: null };
	const outcomes = [{ id: messageId, ...outcome, eventId: null }];
	await n8n.post(execution, { ...registered, reason: 'complete', outcomes });
	return left(execution);
}

const NAMES = [
	'Await',
	'a }} b',
	'{{ $now }}',
	'\\',
	'"',
	"'",
	'`${1}`',
	'// x',
	'é',
	'.constructor',
];
/** n8n names no node so. */
const RESTRICTED = ['hasOwnProperty', 'isPrototypeOf', 'toString', 'valueOf'].concat([
	'propertyIsEnumerable',
	'toLocaleString',
	'constructor',
	'__proto__',
]);
const name = fc.oneof(
	fc.constantFrom(...NAMES),
	fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
);

it('a node finds what it remembers, and its items, whatever the nodes are called', async () => {
	await fc.assert(
		fc.asyncProperty(name, name, async (own, before) => {
			fc.pre(own !== before && !RESTRICTED.includes(own) && !RESTRICTED.includes(before));
			expect(await woken(own, before)).toMatchObject([
				['Accepted', { json: { name: 'a', outcome: { messageId, outcome: 'accepted' } } }],
			]);
		}),
		{
			numRuns: 60,
			examples: NAMES.flatMap(
				(one): Array<[string, string]> => [
					[one, 'First'],
					['Second', one],
				],
			),
		},
	);
});
