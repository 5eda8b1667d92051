// `compose up` of a file, in a network of its own, with folders for its volumes.
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from '../n8n/poll.ts';
import { type Run, runOf, servicesOf } from './compose.ts';
import { filesOf, imageOf, NODE } from './images.ts';
import { startNetwork, type Network } from './network.ts';
import { logs, podman, remove, start, stop } from '../support/podman.ts';

export interface Up {
	network: Network;
	/** Container ids by service. */
	ids: Record<string, string>;
	/** As `compose down` without -v: the volumes stay. Returns the exit code of each that still ran. */
	down(): Promise<Record<string, number>>;
}

/**
 * Starts every service once what it waits for has happened.
 *
 * @param folder where volumes and sockets go
 * @param names of the services to start; all, unless given
 * @throws Error with the log of a service that failed
 */
export async function composeUp(
	file: string,
	folder: string,
	names = servicesOf(file),
): Promise<Up> {
	const volume = (name: string) => join(folder, name);
	const runs = new Map(names.map((name) => [name, runOf(file, name, { volume })]));
	for (const { args } of runs.values()) await makePlaces(args, folder);
	const inside = [...runs.values()].flatMap(({ ports }) => [...ports.values()]);
	const network = await startNetwork(join(folder, 'sockets'), names, inside);
	const ids: Record<string, string> = {};
	const down = async () => {
		const codes: Record<string, number> = {};
		for (const [name, id] of Object.entries(ids).reverse()) {
			if ((await stateOf(id)) === 'running') {
				codes[name] = await stop(id, runs.get(name)?.graceSeconds ?? 0);
			}
			await remove(id);
			delete ids[name];
		}
		await network.close();
		return codes;
	};
	try {
		while (Object.keys(ids).length < names.length) {
			const [name, run] = nextOf(runs, ids);
			for (const [other, condition] of Object.entries(run.after)) {
				await happened(other, ids[other], condition);
			}
			const args = [...network.args, ...filesOf(run.image), ...run.args];
			ids[name] = await start(args, await imageOf(run.image), run.command);
		}
		return { network, ids, down };
	} catch (error) {
		await down();
		throw error;
	}
}

function nextOf(runs: Map<string, Run>, ids: Record<string, string>): [string, Run] {
	for (const [name, run] of runs) {
		if (!(name in ids) && Object.keys(run.after).every((other) => other in ids)) return [name, run];
	}
	throw new Error('Some services wait for each other.');
}

/** As a volume is at first: the container's user may write to it. */
async function makePlaces(args: string[], folder: string): Promise<void> {
	for (const arg of args) {
		const [path] = arg.split(':');
		if (!path.startsWith(folder)) continue;
		await mkdir(path, { recursive: true });
		await chown(path, NODE, NODE);
	}
}

const stateOf = (id: string) => podman('inspect', '--format', '{{.State.Status}}', id);

async function happened(name: string, id: string, condition: string): Promise<void> {
	if (condition === 'service_started') return;
	if (condition === 'service_healthy') return await untilHealthy(id);
	const code = await podman('wait', id);
	if (code !== '0') throw new Error(`${name} ended with ${code}: ${await logs(id)}`);
}

/** Waits until the image's own check says so. @throws Error with the log of one that has ended */
export async function untilHealthy(id: string): Promise<void> {
	await until(`container ${id.slice(0, 12)} to be healthy`, async () => {
		if ((await stateOf(id)) !== 'running') throw new Error(await logs(id));
		return await podman('healthcheck', 'run', id).then(
			() => true,
			() => false,
		);
	});
}
