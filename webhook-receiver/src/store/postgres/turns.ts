import { PgBoss } from 'pg-boss';
import { sha256Hex } from '../../fingerprint.ts';
import type { Database, Db } from './connect.ts';
import { SCHEMA } from './migrations.ts';

/** Which events of a subscription go one after the other: those of one message. */
export interface Chain {
	subscription: string;
	chain: string;
}

/** The right to deliver a chain, held by one receiver until it settles or its lease runs out. */
export interface Turn extends Chain {
	id: string;
	/** pg-boss counts it up when a lease runs out, so that a latecomer can't settle another's turn. */
	retryCount: number;
}

export interface TurnsOptions {
	/** How long a receiver may hold a turn: more than a request can take. */
	leaseSeconds: number;
	onError: (error: Error) => void;
}

/** How often pg-boss looks for turns whose receiver is gone. */
const SUPERVISE_SECONDS = 5;
/** A turn is tried again for ever: when to give up is the deliveries' business. */
const RETRIES = 1_000_000;
const TEN_YEARS_SECONDS = 315_360_000;
/** So many locks serve all chains: two that share one only wait for each other now and then. */
const LOCKS = 4096;
const LOCK_CLASS = 7_306_252;

/**
 * The jobs of pg-boss: one queue a subscription, one job a chain that has something pending, never
 * more than one (policy `exclusive`). Who fetched the job has the chain's turn, so the order of a
 * message holds across receivers. It is inserted in the transaction that stores the event, and made
 * anew in the one that settles a delivery while more is pending.
 */
export class Turns {
	private readonly boss: PgBoss;
	private readonly options: TurnsOptions;

	constructor(database: Database, options: TurnsOptions) {
		this.options = options;
		this.boss = new PgBoss({
			db: database,
			schema: `${SCHEMA}_jobs`,
			schedule: false,
			superviseIntervalSeconds: SUPERVISE_SECONDS,
			monitorIntervalSeconds: SUPERVISE_SECONDS,
		});
		this.boss.on('error', options.onError);
	}

	async start(): Promise<void> {
		await this.boss.start();
	}

	async stop(): Promise<void> {
		await this.boss.stop({ graceful: false });
	}

	/** Before the subscription is stored, so that nothing ever finds the queue missing. */
	async open(subscription: string): Promise<void> {
		await this.boss.createQueue(queueOf(subscription), { policy: 'exclusive' });
	}

	/** Keeps others from adding to or settling the chains until the transaction ends. */
	async lock(db: Db, chains: readonly Chain[]): Promise<void> {
		if (chains.length === 0) return;
		// Always in the same order, so that two receivers never wait for each other.
		await db.executeSql(
			`SELECT pg_advisory_xact_lock($1, lock) FROM (
				SELECT DISTINCT (hashtextextended(name, 0) & ${LOCKS - 1})::int AS lock
				FROM unnest($2::text[]) AS name ORDER BY lock
			) AS locks`,
			[LOCK_CLASS, chains.map(({ subscription, chain }) => `${subscription} ${chain}`)],
		);
	}

	/** Gives each chain a turn, at once or after a while, unless it has one. */
	async give(db: Db, chains: ReadonlyArray<Chain & { delayMs?: number }>): Promise<void> {
		for (const [subscription, group] of bySubscription(chains)) {
			const jobs = group.map(({ chain, delayMs = 0 }) => ({
				data: { chain },
				singletonKey: chain,
				startAfter: delayMs / 1000,
				expireInSeconds: this.options.leaseSeconds,
				retryLimit: RETRIES,
				retryDelay: 0,
				retentionSeconds: TEN_YEARS_SECONDS,
			}));
			await this.boss.insert(queueOf(subscription), jobs, { db });
		}
	}

	/** Has the chains' turns come at once, those that wait for a later attempt. */
	async hasten(db: Db, chains: readonly Chain[]): Promise<void> {
		for (const { subscription, chain } of chains) {
			await this.boss.update(queueOf(subscription), undefined, {
				...{ db, singletonKey: chain, startAfter: 0 },
			});
		}
	}

	/** Up to `most` turns that are due. */
	async take(subscription: string, most: number): Promise<Turn[]> {
		const jobs = await this.boss.fetch<{ chain: string }>(queueOf(subscription), {
			batchSize: most,
			includeMetadata: true,
		});
		return jobs.map(({ id, retryCount, data }) => ({
			...{ id, retryCount, subscription },
			chain: data.chain,
		}));
	}

	/** Gives turns back; answers those that were still ours. Deleted: nobody asks for them again. */
	async end(db: Db, turns: readonly Turn[]): Promise<Turn[]> {
		const ours: Turn[] = [];
		for (const [subscription, group] of bySubscription(turns)) {
			const attempts = group.map(({ id, retryCount }) => ({ id, retryCount }));
			const answer: Settled = await this.boss.deleteJob(queueOf(subscription), attempts, { db });
			ours.push(...group.filter(({ id }) => answer.settled?.includes(id)));
		}
		return ours;
	}
}

/** What pg-boss 12 answers beyond its types: the ids that the statement touched. */
interface Settled {
	settled?: string[];
}

/** pg-boss allows fewer characters in a name than a key may have. */
function queueOf(subscription: string): string {
	return `subscription-${sha256Hex(subscription).slice(0, 32)}`;
}

/** In the order of their names, as with locks. */
function bySubscription<T extends Chain>(items: readonly T[]): Array<[string, T[]]> {
	const groups = Map.groupBy(items, ({ subscription }) => subscription);
	return [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
}
