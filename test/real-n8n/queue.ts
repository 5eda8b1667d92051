// n8n in queue mode: a main process and its workers share PostgreSQL and Redis, and nothing else.
import { query, startPostgres } from '../contract/receiver/postgres-server.ts';
import { type StoredExecution, toStored } from '../n8n/executions.ts';
import { startN8n, type N8nHost } from '../n8n/host.ts';
import type { Stack, StackOptions } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { findRedis, startRedis } from '../support/redis.ts';
import { describeOr } from '../support/skipped.ts';

const redisProgram = findRedis();

/** What this machine lacks for it; null if nothing. */
export const whyNoQueue = redisProgram === null ? 'no Redis (Debian: redis-server)' : null;

/** `describe` where Redis is available. */
export const describeQueue = describeOr(whyNoQueue);

/** What runs beside the main process. */
type Beside = 'worker' | 'webhook';

/** What an n8n in queue mode stands on. */
export interface QueueBackend {
	/** For each of its processes. */
	env: Record<string, string>;
	/** The address of its database. */
	database: string;
	/** The address of an empty database on the same PostgreSQL. */
	freshDatabase(): Promise<string>;
	/** Starts a process beside the main one, which must be up; the caller must stop it. */
	startWorker(stack: Stack, env?: Record<string, string>, command?: Beside): Promise<N8nHost>;
	/** A workflow's executions in the order n8n created them, from n8n's own database. */
	executions(workflowId: string): Promise<StoredExecution[]>;
	close(): Promise<void>;
}

/** @throws Error if there is no Redis on this machine */
export async function startQueueBackend(): Promise<QueueBackend> {
	if (redisProgram === null) throw new Error(`There is ${whyNoQueue}.`);
	const ends: Array<() => Promise<void>> = [];
	const close = async () => {
		while (ends.length > 0) await ends.pop()?.();
	};
	try {
		const postgres = await startPostgres();
		ends.push(() => postgres.stop());
		const redis = await startRedis(redisProgram);
		ends.push(() => redis.stop());
		const database = await postgres.freshDatabase();
		const env = variables(redis.port, new URL(database));
		return {
			env,
			database,
			close,
			freshDatabase: () => postgres.freshDatabase(),
			startWorker: async (stack, own, command = 'worker') =>
				await startN8n({
					userFolder: stack.n8n.userFolder,
					command,
					editor: false,
					// Executions waiting in a worker are woken through the main process.
					env: { ...env, N8N_WEBHOOK_URL: `${stack.n8n.url}/`, ...own },
				}),
			executions: (workflowId) => readExecutions(database, workflowId),
		};
	} catch (error) {
		await close();
		throw error;
	}
}

export interface Queue extends Pick<QueueBackend, 'freshDatabase' | 'executions' | 'close'> {
	/** Its n8n is the main process, which hands every production execution to a worker. */
	stack: Stack;
	/** Starts a process that the caller must stop. */
	startWorker(env?: Record<string, string>, command?: Beside): Promise<N8nHost>;
}

/** @param options `n8nEnv` is the main process's, beside what it takes for the queue */
export async function startQueue(
	options: Pick<StackOptions, 'sandbox' | 'n8nEnv'> = {},
): Promise<Queue> {
	const backend = await startQueueBackend();
	try {
		const n8nEnv = { ...backend.env, ...options.n8nEnv };
		const stack = await startTemporaryStack({ ...options, n8nEnv });
		return {
			...backend,
			stack,
			startWorker: (...own) => backend.startWorker(stack, ...own),
			async close() {
				await stack.close();
				await backend.close();
			},
		};
	} catch (error) {
		await backend.close();
		throw error;
	}
}

async function readExecutions(database: string, workflowId: string): Promise<StoredExecution[]> {
	const rows = await query(
		database,
		`SELECT id, mode, status, "retryOf", "deletedAt", data,
			extract(epoch FROM "startedAt") * 1000 AS began,
			extract(epoch FROM "stoppedAt") * 1000 AS ended
		FROM execution_entity JOIN execution_data ON "executionId" = id
		WHERE execution_entity."workflowId" = '${workflowId}' ORDER BY id`,
	);
	const number = (value: unknown) => (value === null ? null : Number(value));
	return rows.map((row) =>
		toStored({
			id: Number(row.id),
			mode: String(row.mode),
			status: String(row.status),
			retryOf: number(row.retryOf),
			startedAt: number(row.began),
			stoppedAt: number(row.ended),
			deletedAt: row.deletedAt,
			data: String(row.data),
		}),
	);
}

function variables(redisPort: number, { hostname, port, pathname }: URL): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redisPort),
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: hostname,
		DB_POSTGRESDB_PORT: port,
		DB_POSTGRESDB_DATABASE: pathname.slice(1),
		DB_POSTGRESDB_USER: 'postgres',
		DB_POSTGRESDB_PASSWORD: '',
		N8N_ENCRYPTION_KEY: 'key-that-main-and-worker-share',
	};
}
