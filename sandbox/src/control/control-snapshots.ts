import { z } from 'zod/v4';
import { conflict, notFound } from '../http/errors.ts';
import { UnreadableSnapshot } from '../world/snapshots.ts';
import { endpoint, json, type Endpoint } from './endpoint.ts';
import { named } from './named-schemas.ts';
import { time } from './state-schemas.ts';

const ofSnapshot = z.object({
	// One folder per name, also on file systems that ignore case.
	name: z
		.string()
		.regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'lower-case letters, digits, dots, dashes, underscores')
		.describe('Lower-case letters, digits, dots, dashes and underscores'),
});

const snapshotSchema = named(
	'Snapshot',
	z.strictObject({
		name: z.string(),
		savedAt: time.describe('Real time'),
		now: time.describe('The sandbox’s time, which a restore brings back'),
		messages: z.number().int(),
	}),
);

/** Control API: snapshots of the whole sandbox except its journal. */
export const SNAPSHOT_ENDPOINTS: Endpoint[] = [
	endpoint({
		method: 'get',
		path: '/snapshots',
		id: 'getSnapshots',
		summary: 'All snapshots, by name',
		answer: json(z.strictObject({ snapshots: z.array(snapshotSchema) })),
		handle: async ({ snapshots }) => ({ snapshots: await snapshots.list() }),
	}),
	endpoint({
		method: 'put',
		path: '/snapshots/{name}',
		id: 'saveSnapshot',
		summary: 'Save the current state, replacing any snapshot with this name',
		params: ofSnapshot,
		answer: json(snapshotSchema),
		handle: ({ snapshots }, { params }) => snapshots.save(params.name),
	}),
	endpoint({
		method: 'post',
		path: '/snapshots/{name}/restore',
		id: 'restoreSnapshot',
		summary: 'Restore everything, including the time and scheduled steps',
		params: ofSnapshot,
		answer: json(snapshotSchema),
		errors: { 409: 'The snapshot is damaged or from another version' },
		async handle({ snapshots }, { params: { name } }) {
			const restored = await snapshots.restore(name).catch((error: unknown) => {
				throw error instanceof UnreadableSnapshot ? conflict(error.message) : error;
			});
			return restored ?? none(name);
		},
	}),
	endpoint({
		method: 'delete',
		path: '/snapshots/{name}',
		id: 'deleteSnapshot',
		summary: 'Delete a snapshot',
		params: ofSnapshot,
		answer: json(z.strictObject({ name: z.string() })),
		async handle({ snapshots }, { params: { name } }) {
			if (!(await snapshots.remove(name))) none(name);
			return { name };
		},
	}),
];

function none(name: string): never {
	throw notFound(`There is no snapshot ${name}`);
}
