import { z } from 'zod/v4';
import { found } from '../http/errors.ts';
import { iso } from '../state/clock.ts';
import { restoreSnapshot, takeSnapshot } from '../world/snapshots.ts';
import type { Snapshot } from '../world/world.ts';
import { endpoint, json } from './endpoint.ts';
import { time } from './state-schemas.ts';

const params = z.object({ name: z.string().max(100) });
const answer = json(
	z.strictObject({
		name: z.string(),
		now: time.describe('The sandbox’s time, which a restore brings back'),
		messages: z.number().int(),
	}),
);

/** Control API: snapshots of everything but the journal, kept as long as the sandbox runs. */
export const SNAPSHOT_ENDPOINTS = [
	endpoint({
		method: 'put',
		path: '/snapshots/{name}',
		id: 'saveSnapshot',
		summary: 'Save the current state, replacing any snapshot with this name',
		params,
		answer,
		handle(world, { params: { name } }) {
			const snapshot = takeSnapshot(world);
			world.snapshots.set(name, snapshot);
			return shown(name, snapshot);
		},
	}),
	endpoint({
		method: 'post',
		path: '/snapshots/{name}/restore',
		id: 'restoreSnapshot',
		summary: 'Restore everything, including the time and scheduled steps',
		params,
		answer,
		async handle(world, { params: { name } }) {
			const snapshot = found(world.snapshots.get(name), `snapshot ${name}`);
			await restoreSnapshot(world, snapshot);
			return shown(name, snapshot);
		},
	}),
];

const shown = (name: string, { now, messages }: Snapshot) => ({ name, now: iso(now), messages });
