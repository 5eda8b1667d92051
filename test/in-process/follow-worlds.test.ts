// Worlds of executions that n8n itself follows, in n8n's own engine: letters are answered while its public API and
// the service fail in turn, keys end, n8n is full, the workflow is published anew, and a second main process follows
// the same executions. Each leaves once, by the right output.
import fc from 'fast-check';

import { AwaitOutcome } from '../../nodes/AwaitOutcome/AwaitOutcome.node.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';
import { poster } from '../contract/receiver/watching/poster.ts';
import { tenfoldAtNight } from '../support/ring.ts';
import { byN8n, serviceCredential, startStrictSandbox, type Fault } from '../support/sandbox.ts';
import type * as Pauses from '../support/short-pauses.ts';
import {
	errorOf,
	goneOn,
	isAsleep,
	left,
	SleepingN8n,
	type Execution,
	type Published,
} from './sleeping-n8n.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withHurriedClock(),
);

jest.setTimeout(tenfoldAtNight(120_000));

let sandbox: Sandbox;
let service: ReturnType<typeof poster>;
let n8n: SleepingN8n;

beforeAll(async () => {
	sandbox = await startStrictSandbox();
	service = poster(sandbox);
	n8n = await SleepingN8n.start(new AwaitOutcome());
});

afterAll(async () => {
	n8n.close();
	await sandbox.close();
});

const passes = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** What n8n's public API answers instead. */
const API: Record<string, SleepingN8n['apiInstead']> = {
	'429': (_, response) => response.status(429).json({ message: 'Too many requests' }),
	'500': (_, response) => response.status(500).send('Oops'),
	'a page': (_, response) => response.send('<p>n8n is starting up. Please wait'),
	'an empty list': (_, response) => response.json({ data: [], nextCursor: null }),
	'no list': (_, response) => response.json({ data: 1, id: 1 }),
	nothing: (request) => request.socket.destroy(),
	late: (_, response) => void setTimeout(() => response.json({ data: [] }), 150),
};

const FAULTS: Fault[] = [
	{ kind: 'status', status: 429, retryAfter: 0 },
	{ kind: 'status', status: 500 },
	{ kind: 'status', status: 404 },
	{ kind: 'status', status: 401 },
	{ kind: 'delay', ms: 100 },
	{ kind: 'cutAnswer' },
];

const OUTCOMES = { accept: 'Accepted', refuse: 'Refused', expire: 'Expired' };
type How = keyof typeof OUTCOMES;

const LETTERS = 4;
const letterArb = fc.nat({ max: LETTERS - 1 });
const howArb = fc.constantFrom(...(Object.keys(OUTCOMES) as How[]));

const stepArb = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			does: fc.constant('sleep' as const),
			letters: fc.uniqueArray(letterArb, { minLength: 1 }),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ does: fc.constant('settle' as const), letter: letterArb, how: howArb }),
	},
	fc.record({ does: fc.constant('api' as const), answer: fc.constantFrom(...Object.keys(API)) }),
	fc.record({ does: fc.constant('service' as const), fault: fc.constantFrom(...FAULTS) }),
	fc.record({
		does: fc.constantFrom('publish anew', 'replace the key', 'fill n8n', 'second main', 'pause'),
	}),
);

/** Another main process: the same code, with a memory of its own. */
async function otherMain(): Promise<AwaitOutcome> {
	let node: AwaitOutcome | null = null;
	await jest.isolateModulesAsync(async () => {
		const module = await import('../../nodes/AwaitOutcome/AwaitOutcome.node.ts');
		node = new module.AwaitOutcome();
	});
	return node as unknown as AwaitOutcome;
}

it('worlds: each leaves once, by its own output', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(stepArb, { minLength: 4, maxLength: 12 }), async (steps) => {
			const world = await World.begin();
			try {
				for (const step of steps) await world.take(step);
				await world.expectAllToLeave();
			} finally {
				await world.end();
			}
		}),
		{ numRuns: tenfoldAtNight(12), endOnFailure: true },
	);
});

class World {
	private readonly asleep: Array<{ execution: Execution; letters: number[] }> = [];
	private readonly settled = new Map<number, How>();
	private readonly published: Published[] = [];
	private readonly mains = [new AwaitOutcome()];
	private readonly messageIds: string[];
	private readonly credentials = {
		registeredDeliveryApi: {
			...serviceCredential(sandbox, 'direct'),
			...byN8n(n8n.url, n8n.apiKey),
		},
	};
	private release = () => undefined as void;

	private constructor(messageIds: string[]) {
		this.messageIds = messageIds;
	}

	static async begin(): Promise<World> {
		const recipients = [{ email: 'reader@x.example', firstname: 'Ada', lastname: 'Martin' }];
		const messageIds: string[] = [];
		for (let n = 0; n < LETTERS; n++) {
			const letter = { type: 'LRE', body: '<p>Dear reader</p>', recipients };
			messageIds.push(await service.send(letter));
		}
		const world = new World(messageIds);
		await world.publish();
		return world;
	}

	async take(step: typeof stepArb extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> {
		if (step.does === 'sleep') return await this.sleep(step.letters);
		if (step.does === 'settle') return await this.settle(step.letter, step.how);
		// What was wrong so far.
		await this.mend();
		switch (step.does) {
			case 'api':
				n8n.apiInstead = API[step.answer];
				break;
			case 'service':
				await sandbox.control('POST /faults', {
					faults: [{ path: '/messages', fault: step.fault, times: 3 }],
				});
				break;
			case 'publish anew':
				await this.unpublish();
				await passes(20);
				await this.publish();
				break;
			case 'replace the key':
				n8n.apiKey = `key-${Math.random()}`;
				break;
			case 'fill n8n':
				n8n.capacity = new Promise((resolve) => (this.release = resolve));
				break;
			case 'second main':
				if (this.mains.length === 1) this.mains.push(await otherMain());
				await this.publish(1);
		}
		await passes(100);
	}

	async expectAllToLeave(): Promise<void> {
		await this.mend();
		for (let letter = 0; letter < LETTERS; letter++) await this.settle(letter, 'accept');
		if (this.published.length === 0) await this.publish();
		const names = ({ letters }: (typeof this.asleep)[number]) =>
			letters.map((letter) => OUTCOMES[this.settled.get(letter) ?? 'accept']).sort();
		for (const one of this.asleep) {
			const { execution } = one;
			await goneOn(execution);
			const outputs = left(execution).map(([output]) => output);
			expect(outputs.sort()).toEqual(names(one));
		}
		// Nothing comes late.
		await passes(100);
		for (const { execution } of this.asleep) expect(execution.resumed).toBe(1);
	}

	async end(): Promise<void> {
		await this.mend();
		await this.unpublish();
		n8n.executions.clear();
		await passes(150);
	}

	/** It sleeps, or it fails before it does, since something is wrong by then. */
	private async sleep(letters: number[]): Promise<void> {
		n8n.node = this.mains[this.asleep.length % this.mains.length];
		const items = letters.map((letter) => ({
			json: { messageId: this.messageIds[letter], type: 'LRE' },
		}));
		const { credentials } = this;
		const execution = await n8n.run({ items, mode: 'trigger', credentials });
		if (isAsleep(execution)) this.asleep.push({ execution, letters });
		else expect(errorOf(execution)).toBeDefined();
	}

	private async settle(letter: number, how: How): Promise<void> {
		if (this.settled.has(letter)) return;
		this.settled.set(letter, how);
		await sandbox.control('POST /messages/{id}/{trigger}', {
			id: this.messageIds[letter],
			trigger: how,
		});
	}

	private async publish(main = 0): Promise<void> {
		n8n.node = this.mains[main];
		this.published.push(await n8n.publish(this.credentials));
	}

	private async unpublish(): Promise<void> {
		for (const published of this.published.splice(0)) await published.unpublish();
	}

	private async mend(): Promise<void> {
		n8n.apiInstead = null;
		this.release();
		n8n.capacity = Promise.resolve();
		this.credentials.registeredDeliveryApi.n8nApiKey = n8n.apiKey;
		await sandbox.control('DELETE /faults');
	}
}
