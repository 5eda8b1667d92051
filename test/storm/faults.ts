// What can befall the world, by name: how it begins and how it ends.
import { HOSTILE } from './hostile.ts';
import { PEOPLE, SENDERS, type Layer } from './story.ts';
import { markOf } from './verdict.ts';
import type { WaitView } from '../../webhook-receiver/src/core/wait-contract.ts';
import type { Kind, World } from './world.ts';
import { until } from '../n8n/poll.ts';
import type { Fault as ServiceFault } from '../support/sandbox.ts';

export interface Fault {
	layer: Layer;
	/** @param by a number of this blow's own, 0 to 999 */
	begin(world: World, by: number): Promise<unknown>;
	end?(world: World): Promise<unknown>;
	/** Only this kind of world has what it befalls. */
	only?: Kind;
}

const SEND = { method: 'POST', path: '/messages/bulk_send' } as const;
const POLL = { method: 'GET', path: '/messages/{id}' } as const;
const HTML = '<!doctype html><title>Sign in</title><p>Welcome to our network';
const PAGE = { kind: 'answer', body: HTML, contentType: 'text/html' } as const;

/** The sandbox, or what stands before it, answers some of the sends like this. */
const answering = (fault: ServiceFault, to: typeof SEND | typeof POLL = SEND): Fault => ({
	layer: 'service',
	begin: ({ stack }, by) =>
		stack.sandbox.control('POST /faults', {
			faults: [{ ...to, skip: by % 7, times: 1 + (by % 4), fault }],
		}),
});

/** A proxy that gives up on the service, which carries the request out. */
const proxy = (status: number): Fault =>
	answering({ ...PAGE, status, headers: { 'retry-after': '1' }, processed: true });

/** Events go out like this until it ends. */
const posting = (look: (by: number) => object): Fault => ({
	layer: 'service',
	begin: (world, by) => world.tellWebhooks(look(by)),
	end: (world) => world.tellWebhooks({}),
});

const process = (begin: Fault['begin'], end?: Fault['end']): Fault => ({
	layer: 'process',
	begin,
	end,
});

const editing = (begin: Fault['begin'], end?: Fault['end']): Fault => ({
	layer: 'editor',
	begin,
	end,
});

const setClocksRight = async (world: World) => {
	for (let index = 0; index < world.parts.count; index++) await world.setClock(index, 0);
};

const clock = (step: number): Fault => ({
	layer: 'connection',
	begin: (world, by) => world.setClock(by % world.parts.count, (by - 500) * step),
	end: setClocksRight,
});

/** What the forward proxy says in place of letting through; the last time nothing. */
const REFUSALS = [
	'407 Proxy Authentication Required',
	'403 Forbidden',
	'502 Bad Gateway',
	'503 Service Unavailable',
].map((status) => `HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);

const HOUR = 3_600_000;

export const FAULTS: Record<string, Fault> = {
	'n8n killed': process(
		(world) => world.takeN8nDown('kill'),
		(world) => world.bringN8nUp(),
	),
	'n8n stopped': process(
		(world) => world.takeN8nDown('stop'),
		(world) => world.bringN8nUp(),
	),
	'receiver killed': process(
		({ parts }, by) => parts.takeDown(by % parts.count, 'kill'),
		({ parts }) => parts.bringUp(),
	),
	'receiver stopped': process(
		({ parts }, by) => parts.takeDown(by % parts.count, 'close'),
		({ parts }) => parts.bringUp(),
	),
	'receiver replaced': process(
		({ parts }, by) => parts.replace(by % parts.count),
		({ parts }) => parts.bringUp(),
	),
	'worker killed': {
		...process((world, by) => world.replaceWorker(by)),
		only: 'queue',
	},
	'PostgreSQL -m immediate': {
		layer: 'connection',
		only: 'queue',
		begin: async ({ setting }) => setting.postgres?.kill(),
		end: async ({ setting }) => setting.postgres?.start(),
	},
	'connections to PostgreSQL stalled': {
		layer: 'connection',
		only: 'queue',
		begin: async ({ setting }) => setting.postgresProxy?.fallSilent(),
		end: async ({ setting }) => setting.postgresProxy?.speakToNew(),
	},
	'connections to PostgreSQL cut': {
		layer: 'connection',
		only: 'queue',
		begin: async ({ setting }) => setting.postgresProxy?.cut(),
	},

	'connections to the receiver cut': {
		layer: 'connection',
		begin: async ({ proxy }) => proxy.cut(),
	},
	'connections to the receiver stalled': {
		layer: 'connection',
		begin: async ({ proxy }) => proxy.fallSilent(),
		end: async ({ proxy }) => proxy.speakToNew(),
	},
	'answers of the receiver lost': {
		layer: 'connection',
		begin: async ({ proxy }) => proxy.fallSilent({ answersOnly: true }),
		end: async ({ proxy }) => proxy.speakToNew(),
	},

	'forward proxy refuses': {
		layer: 'connection',
		begin: async ({ setting: { forwardProxy } }, by) => {
			forwardProxy.refuse = () => REFUSALS[by % (REFUSALS.length + 1)] ?? '';
			forwardProxy.cut();
		},
		end: async ({ setting: { forwardProxy } }) => {
			forwardProxy.refuse = () => null;
		},
	},
	'tunnels of the forward proxy cut': {
		layer: 'connection',
		begin: async ({ setting }) => setting.forwardProxy.cut(),
	},

	'429 to sends': answering({ kind: 'status', status: 429, retryAfter: 1 }),
	'503 to sends': answering({ kind: 'status', status: 503, retryAfter: 1 }),
	'503 without a word to sends': answering({ kind: 'answer', status: 503 }),
	'HTML with 200 instead of a send': answering({ ...PAGE, status: 200 }),
	'HTML with 200 after a send': answering({ ...PAGE, status: 200, processed: true }),
	'HTML with 403 instead of a send': answering({ ...PAGE, status: 403 }),
	'other JSON with 201 after a send': answering({
		kind: 'answer',
		status: 201,
		body: '{"status":"queued"}',
		processed: true,
	}),
	'408 of a proxy after a send': proxy(408),
	'499 of a proxy after a send': proxy(499),
	'502 of a proxy after a send': proxy(502),
	'503 of a proxy after a send': proxy(503),
	'504 of a proxy after a send': proxy(504),
	'HTML with 200 to polls': answering({ ...PAGE, status: 200 }, POLL),
	'another letter to polls': answering(
		{
			kind: 'answer',
			status: 200,
			body: '{"id":"999999999999","status":"REFUSED","evidences":[]}',
		},
		POLL,
	),
	'empty 201 to sends': answering({ kind: 'answer', status: 201 }),
	'half an answer to sends': answering({ kind: 'cutAnswer' }),
	'no answer to sends': answering({ kind: 'cutAfter' }),
	'sends cut before they are read': answering({ kind: 'cutBefore' }),

	'webhooks twice': posting((by) => ({ duplicates: 1 + (by % 2) })),
	'webhooks out of order': posting((by) => ({ reorder: true, waitMs: 50 + by })),
	'webhooks late': posting((by) => ({ batch: 50, waitMs: 1_000 + by })),
	'hostile bodies to the receiver': {
		layer: 'service',
		begin: async (world, by) => {
			for (const [n, write] of Object.values(HOSTILE).entries()) {
				const isSigned = (by + n) % 4 !== 0;
				const mark = markOf(isSigned, `${by}-${crypto.randomUUID()}`);
				await world.postBody(write(mark), mark, isSigned);
			}
		},
	},
	'clock of the service set forth': {
		layer: 'service',
		begin: (world, by) => world.advance(60_000 * by),
	},

	'workflow republished': editing(async (world, by) => {
		const { id } = world.sender(SENDERS[by % SENDERS.length]);
		await world.stack.api.deactivate(id);
		await world.stack.api.activate(id);
	}),
	'workflow edited': editing(async (world, by) => {
		const { id, ...file } = world.sender(SENDERS[by % SENDERS.length]);
		const nodes = file.nodes.map((one) => ({ ...one, notes: `Edited ${by}` }));
		await world.stack.api.saveWorkflow({ ...file, nodes });
		await world.stack.api.activate(id);
	}),
	'workflow unpublished': editing(
		async ({ stack, followers }) => {
			for (const { workflow } of followers.values()) await stack.api.deactivate(workflow.id);
		},
		async ({ stack, followers }) => {
			for (const { workflow } of followers.values()) await stack.api.activate(workflow.id);
		},
	),
	'workflow duplicated': editing((world) =>
		world.follow(`Storm: copy ${world.followers.size}`, false),
	),
	'execution stopped': editing(async (world, by) => {
		const all = await world.executions(...world.senders.values());
		const one = all[by % all.length];
		// It may have ended by itself.
		if (one !== undefined) await world.stack.api.stop(String(one.id)).catch(() => undefined);
	}),
	// As the editor offers it. Over its interface n8n also retries one that sleeps, as if its time had come.
	'executions retried at once': editing(async (world, by) => {
		const all = await world.executions(...world.senders.values());
		// One that was stopped before its first node ended keeps that error in n8n's retry, which then
		// refuses to be woken.
		const failed = all.filter(
			({ status, runs }) =>
				['crashed', 'canceled', 'error'].includes(status) && Object.keys(runs).length > 0,
		);
		const from = by % Math.max(failed.length, 1);
		const some = failed.slice(from, from + 3);
		// n8n may refuse some.
		await Promise.allSettled(
			[...some, ...some].map(({ id }) => world.stack.api.startRetry(String(id))),
		);
	}),
	'letters sent under the same keys by the other account': editing(async (world) => {
		const tracked = world.lastLetters.filter(({ type }) => type === 'AES');
		await world.send(
			tracked.map((letter) => ({
				...letter,
				sender: letter.sender === 'reseller' ? 'direct' : 'reseller',
			})),
		);
	}),
	'token replaced': editing((world) => world.replaceToken(crypto.randomUUID())),
	'certificate replaced': editing((world) => world.replaceCertificate()),
	// One of the last, to which something may still happen.
	'letter erased': editing(async (world, by) => {
		const letter = (await world.served()).at(-1 - (by % 60));
		if (letter !== undefined) await world.erase(letter.id);
	}),

	'person erased': editing(async (world, by) => {
		const all = (await world.served()).flatMap(({ person }) => person ?? []);
		const one = [...new Set(all)][by % PEOPLE];
		if (one !== undefined) await world.erasePerson(one);
	}),
	'letters limited': editing((world, by) => world.limit(by % 40)),
	'unknown letters settled': editing((world) => world.settleUnknown(false)),

	'clock of the receiver off by seconds': clock(120),
	'clock of the receiver off by hours': clock(100_000),
	// A wake-up is given up a day after it was queued; the receiver looks once a minute. One that is queued by
	// a clock already set forth, since its deadline is over by then, would have a day left.
	'wake-ups given up': process(
		async (world, by) => {
			const untilSome = async (state: WaitView['state'], patience: number) =>
				await until(
					`a wait to be ${state}`,
					async () => (await world.waits()).some((wait) => wait.state === state),
					patience,
				).catch(() => undefined);
			await untilSome('open', 20);
			await world.takeN8nDown('kill');
			await untilSome('queued', 60);
			await world.setClock(by % world.parts.count, 26 * HOUR);
			// In a rehearsal it looks old, and is not, and so stays.
			if (!world.setting.shape.isRehearsal) await untilSome('dead', 65);
		},
		async (world) => {
			await setClocksRight(world);
			await world.bringN8nUp();
		},
	),
	'disk of the receiver full': {
		layer: 'connection',
		only: 'sqlite',
		begin: async ({ setting }) => setting.disk?.fill(),
		end: async ({ setting }) => setting.disk?.free(),
	},
};

/** Those that can befall such a world. */
export const faultsOf = (kind: Kind): Record<string, Fault> =>
	Object.fromEntries(
		Object.entries(FAULTS).filter(([, { only }]) => only === undefined || only === kind),
	);
