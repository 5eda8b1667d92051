import type { Router } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ReceiverConfig } from './config/read-config.ts';
import type { ListName } from './core/lists.ts';
import type { Method, Refusals, Role } from './http/access.ts';
import type { Counts } from './http/counts.ts';
import type { Learn, LearnHooks } from './log/record-rows.ts';
import type { Consumers } from './queue/consumers.ts';
import type { Pulls } from './queue/pulls.ts';
import type { NoteLoss } from './queue/remove.ts';
import type { WakeUpSource } from './queue/take.ts';
import type { Db, Engine, Transaction } from './sql/engine.ts';
import type { Seals } from './sql/seals.ts';
import type { Cleaning, Schema } from './sql/statements.ts';
import type { Clock } from './time/clock.ts';
import type { DueWork } from './time/due-loop.ts';

/**
 * What the receiver can do beside taking in events and handing them out: a folder each, which imports the
 * kernel (http, sql, log, queue) and no other capability. `server.ts` lists them; a line less leaves one out.
 */
export interface Capability extends Partial<Schema> {
	name: string;
	start(kernel: Kernel): Running | Promise<Running>;
}

/** A capability on a database. */
export interface Running extends LearnHooks {
	/** Behind a token. */
	routes?: Router;
	/** Which of them n8n itself asks, or who fetches backups; all others are an operator's. */
	roles?: ReadonlyArray<readonly [Role, Method, path: string]>;
	/** For anybody: nothing in it names a person or costs a write. */
	publicRoutes?: Router;
	/** Called when this receiver takes the lead: returns a loop that one receiver at a time runs. */
	lead?(): DueWork;
	/** A consumer or an execution may want other lists than before. */
	onWants?(): void;
	/** Removes a bounded number of what is too old; returns whether there may be more. */
	clean?(tx: Transaction, cleaning: Cleaning): Promise<boolean>;
	/** What was erased is forgotten here, too; once its events and records are gone. */
	erase?(erased: Erased): Promise<void>;
	figures?(now: number): Promise<Figures>;
	/** Notes that a workflow misses events. */
	lost?: NoteLoss;
	/** What its pulls bring n8n beside events. */
	wakeUps?: WakeUpSource;
	/** The lists that it wants to be read. */
	listsWanted?(db: Db): Promise<readonly ListName[]>;
	/** Whether letters, consents and customers are watched at the service. */
	watches?: true;
	/** Certificates or tokens were renewed on disk. */
	renew?(config: ReceiverConfig): void;
	stop?(): Promise<void>;
}

/** Letters, by their ids or by the keys of their claims. Of consents and customers `changed` tells. */
interface Erased {
	messageIds: readonly string[];
	keys: readonly string[];
}

/** What needs a person, as a capability sees it now. Times are milliseconds. */
export interface Alert {
	/** Of those that capabilities/attention/ has words for. */
	kind: string;
	since: number;
	/** False if it is too little to begin an alert with, but keeps one that lasts. */
	begins?: boolean;
	count?: number;
	reason?: string;
}

export interface Figures {
	alerts?: readonly Alert[];
	/** For Prometheus; null where there is no such figure. */
	gauges?: ReadonlyArray<
		readonly [name: string, help: string, value: number | null, labels?: Record<string, string>]
	>;
}

/** What a capability builds on. */
export interface Kernel {
	config: ReceiverConfig;
	clock: Clock;
	logger: Logger;
	database: Engine;
	/** Encrypts what grants access, before it is stored. */
	seals: Seals;
	registry: Registry;
	counts: Counts;
	/** Stores what was learned of letters, consents and customers. */
	learn: Learn;
	noteLoss: NoteLoss;
	consumers: Consumers;
	pulls: Pulls;
	/** Who was refused lately. */
	refusals: Refusals;
	/** All that have started; complete once the receiver serves. */
	capabilities: readonly Running[];
	readonly isWatching: boolean;
	/** Nobody has asked for anything for long: what can wait does. */
	isIdle(): boolean;
	/** Something may be due that only this receiver knows of. */
	wake(): void;
}
