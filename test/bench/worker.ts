// Questions and answers between the benchmark and its helper processes, over Node's IPC channel.
import { end, startNode } from './processes.ts';

export type Handlers = Record<string, (argument: never) => unknown>;

interface Question {
	id: number;
	name: string;
	argument: unknown;
}

type Reply = { id: number; result: unknown } | { id: number; error: string };

/** A helper process. */
export interface Worker {
	pid: number;
	ask<T>(name: string, argument?: unknown): Promise<T>;
	stop(): Promise<void>;
}

export function startWorker(file: URL): Worker {
	const child = startNode(file.pathname, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
	const waiting = new Map<number, (reply: Reply) => void>();
	let asked = 0;
	child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply));
	child.once('exit', () => {
		for (const [id, settle] of waiting) settle({ id, error: `${file.pathname} ended` });
	});
	return {
		pid: child.pid ?? 0,
		ask<T>(name: string, argument?: unknown): Promise<T> {
			const id = ++asked;
			return new Promise((resolve, reject) => {
				waiting.set(id, (reply) => {
					waiting.delete(id);
					if ('error' in reply) reject(new Error(reply.error));
					else resolve(reply.result as T);
				});
				const question: Question = { id, name, argument };
				child.send(question);
			});
		},
		stop: () => end(child),
	};
}

/** In the helper process: answers until the benchmark goes away. */
export function answer(handlers: Handlers): void {
	process.on('disconnect', () => process.exit());
	process.on('message', ({ id, name, argument }: Question) => {
		const reply = (message: Reply) => process.connected && process.send?.(message);
		Promise.resolve()
			.then(() => handlers[name]?.(argument as never))
			.then(
				(result) => reply({ id, result }),
				(error: Error) => reply({ id, error: error.stack ?? error.message }),
			);
	});
}
