// What can befall the world, by name: how it begins and how it ends.
import { control } from '../support/sandbox.ts';
import { served } from './ledgers.ts';
import type { Layer } from './story.ts';
import type { Kind, World } from './world.ts';

export interface Fault {
	layer: Layer;
	/** @param by a number of this blow's own, 0 to 999 */
	begin(world: World, by: number): Promise<unknown>;
	end?(world: World): Promise<unknown>;
	/** Only this kind of world has what it befalls. */
	only?: Kind;
}

const SEND = { method: 'POST', path: '/messages/bulk_send' };
const HTML = '<!doctype html><title>Sign in</title><p>Welcome to our network';

/** The sandbox answers some of the sends like this. */
const answering = (fault: object): Fault => ({
	layer: 'service',
	begin: ({ stack }, by) =>
		control(stack.sandbox, 'POST', '/faults', {
			faults: [{ ...SEND, skip: by % 7, times: 1 + (by % 4), fault }],
		}),
});

/** Events go out like this until it ends. */
const posting = (look: (by: number) => object): Fault => ({
	layer: 'service',
	begin: (world, by) => world.tellWebhooks(look(by)),
	end: (world) => world.tellWebhooks({}),
});

const process = (begin: Fault['begin'], end?: Fault['end']): Fault => ({
	...{ layer: 'process', begin, end },
});

const editing = (begin: Fault['begin'], end?: Fault['end']): Fault => ({
	...{ layer: 'editor', begin, end },
});

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
	'worker killed': {
		...process((world, by) => world.replaceWorker(by)),
		only: 'queue',
	},
	'PostgreSQL -m immediate': {
		...{ layer: 'connection', only: 'queue' },
		begin: async ({ setting }) => setting.postgres?.kill(),
		end: async ({ setting }) => setting.postgres?.start(),
	},
	'connections to PostgreSQL stalled': {
		...{ layer: 'connection', only: 'queue' },
		begin: async ({ setting }) => setting.postgresProxy?.fallSilent(),
		end: async ({ setting }) => setting.postgresProxy?.speakToNew(),
	},
	'connections to PostgreSQL cut': {
		...{ layer: 'connection', only: 'queue' },
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

	'429 to sends': answering({ kind: 'status', status: 429, retryAfter: 1 }),
	'503 to sends': answering({ kind: 'status', status: 503, retryAfter: 1 }),
	'503 without a word to sends': answering({ kind: 'answer', status: 503 }),
	'HTML with 200 instead of a send': answering({
		...{ kind: 'answer', status: 200, body: HTML, contentType: 'text/html' },
	}),
	'HTML with 200 after a send': answering({
		...{ kind: 'answer', status: 200, body: HTML, contentType: 'text/html', processed: true },
	}),
	'empty 201 to sends': answering({ kind: 'answer', status: 201 }),
	'half an answer to sends': answering({ kind: 'cutAnswer' }),
	'no answer to sends': answering({ kind: 'cutAfter' }),
	'sends cut before they are read': answering({ kind: 'cutBefore' }),

	'webhooks twice': posting((by) => ({ duplicates: 1 + (by % 2) })),
	'webhooks out of order': posting((by) => ({ reorder: true, waitMs: 50 + by })),
	'webhooks late': posting((by) => ({ batch: { size: 50, as: 'events' }, waitMs: 1_000 + by })),
	'clock of the service set forth': {
		layer: 'service',
		begin: ({ stack }, by) => control(stack.sandbox, 'POST', '/clock/advance', { ms: 60_000 * by }),
	},

	'workflow republished': editing(async ({ stack, mailing }) => {
		await stack.api.deactivate(mailing.id);
		await stack.api.activate(mailing.id);
	}),
	'workflow edited': editing(async (world, by) => {
		const { stack, mailing } = world;
		const { name, nodes, connections } = mailing;
		const moved = nodes.map((one) => ({ ...one, notes: `Edited ${by}` }));
		await stack.api.saveWorkflow({
			...{ name, nodes: moved, connections, settings: mailing.settings },
		});
		await stack.api.activate(mailing.id);
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
		const all = await world.executions(world.mailing);
		const one = all[by % all.length];
		// It may have ended by itself.
		if (one !== undefined) await world.stack.api.stop(String(one.id)).catch(() => undefined);
	}),
	// As the editor offers it. Over its interface n8n also retries one that sleeps, as if its time had come.
	'failed execution retried': editing(async (world, by) => {
		const all = await world.executions(world.mailing);
		const failed = all.filter(({ status }) => status === 'crashed' || status === 'error');
		const one = failed[by % failed.length];
		// One that was retried with success is not retried again.
		if (one !== undefined) await world.stack.api.startRetry(String(one.id)).catch(() => undefined);
	}),
	'token replaced': editing((world) => world.replaceToken(crypto.randomUUID())),
	'certificate replaced': editing((world) => world.replaceCertificate()),
	// One of the last, to which something may still happen.
	'letter erased': editing(async (world, by) => {
		const letter = (await served(world)).at(-1 - (by % 60));
		if (letter !== undefined) await world.erase(letter.id);
	}),

	'clock of the receiver set': {
		layer: 'connection',
		begin: (world, by) => world.setClock(by % world.parts.count, (by - 500) * 120),
		end: async (world) => {
			for (let index = 0; index < world.parts.count; index++) await world.setClock(index, 0);
		},
	},
	'disk of the receiver full': {
		...{ layer: 'connection', only: 'sqlite' },
		begin: async ({ setting }) => setting.disk?.fill(),
		end: async ({ setting }) => setting.disk?.free(),
	},
};

/** Those that can befall such a world. */
export const faultsOf = (kind: Kind): Record<string, Fault> =>
	Object.fromEntries(
		Object.entries(FAULTS).filter(([, { only }]) => only === undefined || only === kind),
	);
