import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DeliveryEvent } from '../../../webhook-receiver/src/core/event-contract.ts';
import { clientOf, environment, later, until } from './harness.ts';
import type { Client } from './harness.ts';

/** A receiver in its own process, as an operator runs it; `cleanUp` kills it. */
export async function startProcess(folder: string, env: Record<string, string> = {}) {
	const main = join(__dirname, '../../../webhook-receiver/src/main.ts');
	const clock = join(__dirname, '../../n8n/later-clock.cjs');
	const child = spawn(process.execPath, ['--require', clock, main], {
		env: {
			PATH: process.env.PATH,
			NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
			...environment(folder, { LOG_LEVEL: 'info', ...env }),
		},
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});
	const exited = once(child, 'exit');
	later(async () => {
		child.kill('SIGKILL');
		await exited;
	});
	let said = '';
	const { stdout, stderr } = child;
	if (stdout === null || stderr === null) throw new Error('It has no output.');
	stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
	const url = await new Promise<string>((resolve, reject) => {
		createInterface({ input: stdout }).on('line', (line) => {
			const entry = JSON.parse(line) as { msg: string; url: string };
			if (entry.msg === 'listening') resolve(entry.url);
		});
		child.once('exit', () => reject(new Error(said)));
	});
	/** How far its wall clock is ahead, in milliseconds; kept for the signatures of what is posted to it. */
	let ahead = 0;
	const time = { now: () => Date.now() + ahead };
	const setClock = async (milliseconds: number) => {
		ahead = milliseconds;
		const answered = once(child, 'message');
		child.send({ ahead });
		await answered;
	};
	return { url, child, exited, setClock, ...clientOf(url, time) };
}

/** The service's own id of an event. */
export const providerId = ({ raw }: DeliveryEvent): string => (raw as { id: string }).id;

/** Those of all events at the receiver. */
export const idsIn = async ({ events }: Pick<Client, 'events'>): Promise<string[]> =>
	(await events()).map(providerId);

/**
 * Starts a receiver on the folder, with a consumer that nobody pulls, posts events to it over eight
 * lanes and kills it in the middle, round after round.
 *
 * @returns the ids of all events that it acknowledged
 */
export async function killUnderLoad(folder: string, rounds: number): Promise<Set<string>> {
	const acknowledged = new Set<string>();
	for (let round = 0; round < rounds; round++) {
		const receiver = await startProcess(folder);
		if (round === 0) await receiver.pull();
		const before = acknowledged.size;
		const dying = until(() => acknowledged.size >= before + 20, 'some are acknowledged').then(
			() => {
				receiver.child.kill('SIGKILL');
			},
		);
		const worker = async (lane: number) => {
			for (let n = 0; ; n++) {
				const id = `e-${round}-${lane}-${n}`;
				const answer = await receiver.emit({ id, event: 'aes_sent' }).catch(() => null);
				if (answer === null) return;
				if (answer.status === 200) acknowledged.add(id);
			}
		};
		await Promise.all([dying, ...Array.from({ length: 8 }, (_, lane) => worker(lane))]);
		await receiver.exited;
	}
	return acknowledged;
}
