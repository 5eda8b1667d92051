import type { Router } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ReceiverConfig } from './config/read-config.ts';
import type { LetterToWatch } from './core/event-contract.ts';
import type { ListName } from './core/lists.ts';
import type { WaitConsent } from './core/wait-contract.ts';
import type { Method, NoteRefusal, Role } from './http/access.ts';
import type { Counts } from './http/counts.ts';
import type { Intake } from './log/intake.ts';
import type { Learn, LearnHooks } from './log/learn.ts';
import type { RecordRow } from './log/record-rows.ts';
import type { Consumers, NoteLoss, WakeUpSource } from './queue/consumers.ts';
import type { Pulls } from './queue/pulls.ts';
import type { Db, Engine, Transaction } from './sql/engine.ts';
import type { Cleaning, Schema } from './sql/statements.ts';
import type { Clock } from './time/clock.ts';
import type { DueWork } from './time/due-loop.ts';
import type { Use } from './time/idle.ts';

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
	/** Notes that somebody was refused. */
	refused?: NoteRefusal;
	/** What its pulls bring n8n beside events. */
	wakeUps?: WakeUpSource;
	/** The lists that it wants to be read. */
	listsWanted?(db: Db): Promise<readonly ListName[]>;
	/** Watches letters, consents and customers at the service. */
	watches?: Watches;
	/** Certificates or tokens were renewed on disk. */
	renew?(config: ReceiverConfig): void;
	stop?(): Promise<void>;
}

/** Who asks the service for what becomes of letters and consents. */
export interface Watches {
	/**
	 * Watches letters from now on, or adds to what is known of those already watched.
	 *
	 * @throws HttpError 410 `message-erased`, and watches none
	 */
	follow(tx: Transaction, letters: readonly LetterToWatch[], now: number): Promise<unknown>;
	/** The row of a letter that is watched from now on, unless nothing more can come of it. */
	watchedRow(row: RecordRow, now: number): RecordRow;
	/** Notes of consents that are awaited whose they are. */
	expect(tx: Transaction, consents: readonly WaitConsent[], now: number): Promise<void>;
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
	registry: Registry;
	counts: Counts;
	/** Stores what was learned of letters, consents and customers. */
	learn: Learn;
	noteLoss: NoteLoss;
	noteRefusal: NoteRefusal;
	intake: Intake;
	consumers: Consumers;
	pulls: Pulls;
	/** All that have started; complete once the receiver serves. */
	capabilities: readonly Running[];
	/** Undefined where nothing is watched. */
	readonly watches: Watches | undefined;
	/** Whether somebody asks for anything: else, what can wait does. */
	use: Use;
	/** Something may be due that only this receiver knows of. */
	wake(): void;
	/** Reads the files of the configuration again; throws if they have faults. */
	reread(): ReceiverConfig;
	/** Uses from now on the certificates and tokens that were renewed on disk. */
	renew(config: ReceiverConfig): void;
	isStopping(): boolean;
}
