import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Queue } from '../items/queue';
import type { Claim, Claims, Settlement } from './claims';

const DEDUPLICATION = { mode: 'entries', maxEntries: 50_000 } as const;

/**
 * Names of the keys that runs in this process are sending under; its executions run concurrently.
 */
const held = new Set<string>();

/** Settlements of keys in this process, by name. */
const settled = new Map<string, Settlement>();

/** Most settlements to keep in this process; the oldest go first, and n8n's own records remain. */
const MAX_SETTLED = 10_000;

/** Calls to each node's n8n records, queued because they must not overlap. */
const recordCalls = new Map<string, Queue>();

/** Most answers to keep in a node's static data, all of which n8n writes after each execution. */
const MAX_ANSWERS = 10_000;

const BROKEN_OFF =
	'An earlier execution started to send under this key and left no result: it was a manual one, or it was interrupted.';

/**
 * Claims kept by n8n, for one node of one workflow. n8n's database records a key right before its
 * letter is sent, so that a crash in between cannot lead to a second letter. The workflow's static
 * data, which n8n stores at the end of production executions, holds the answer.
 *
 * One winner within one n8n process. Two processes that claim at the same time can undo each
 * other's claims, since n8n reads and writes its records whole (two processes, 100 keys each: up to
 * 39 sent twice). They need `ReceiverClaims`.
 */
export class LocalClaims implements Claims {
	private readonly context: IExecuteFunctions;
	private readonly scope: string;
	private readonly answers: Record<string, IDataObject>;
	/** The keys that this run holds, and whether each was unknown before. */
	private readonly ours = new Map<string, boolean>();

	constructor(context: IExecuteFunctions) {
		this.context = context;
		this.scope = `${context.getWorkflow().id}~${context.getNode().id}`;
		const kept = context.getWorkflowStaticData('node');
		kept.sentOnce ??= {};
		this.answers = kept.sentOnce as Record<string, IDataObject>;
	}

	async claim(keys: readonly string[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		const free = keys.filter((key) => !held.has(this.name(key)));
		for (const key of free) this.hold(key);
		const claims = new Map<string, Claim>(keys.map((key) => [key, { state: 'busy' }]));
		const before = new Set(
			await this.record(async ({ checkProcessedAndRecord }) => {
				const { processed } = await checkProcessedAndRecord(free, 'node', DEDUPLICATION);
				return processed.map(String);
			}),
		);
		for (const key of free) {
			const claim: Claim = before.has(key) ? this.settlementOf(key) : { state: 'ours' };
			const isOurs = claim.state === 'ours' || (claim.state === 'unknown' && takesUnknown);
			if (isOurs) this.ours.set(key, claim.state === 'unknown');
			else this.drop(key);
			claims.set(key, isOurs ? { state: 'ours' } : claim);
		}
		return claims;
	}

	async known(keys: readonly string[]): Promise<Set<string>> {
		return new Set(keys.filter((key) => this.settlementOf(key).state === 'sent'));
	}

	async settle(settlements: ReadonlyMap<string, Settlement>): Promise<void> {
		for (const [key, settlement] of settlements) {
			if (settlement.state === 'sent') this.keepAnswer(key, settlement.answer);
			settled.set(this.name(key), settlement);
			const [oldest] = settled.keys();
			if (settled.size > MAX_SETTLED) settled.delete(oldest);
			this.drop(key);
		}
	}

	async release(keys: readonly string[]): Promise<void> {
		// A key that was unknown before stays recorded, hence unknown: the earlier letter may have been sent.
		const free = keys.filter((key) => this.ours.get(key) === false);
		try {
			if (free.length > 0) {
				await this.record(
					async ({ removeProcessed }) => await removeProcessed(free, 'node', DEDUPLICATION),
				);
			}
		} catch {
			// They stay recorded, too: better a letter too few than one too many.
		}
		for (const key of keys) this.drop(key);
	}

	/**
	 * Also merges the answers of concurrent executions: each has its own copy of the static data,
	 * and the last to end overwrites the others', so its copy must hold everyone's answers.
	 */
	async end(): Promise<void> {
		for (const key of this.ours.keys()) held.delete(this.name(key));
		this.ours.clear();
		const prefix = this.name('');
		for (const [name, settlement] of settled) {
			if (!name.startsWith(prefix) || settlement.state !== 'sent') continue;
			const key = name.slice(prefix.length);
			if (!(entryOf(key) in this.answers)) this.keepAnswer(key, settlement.answer);
		}
	}

	private hold(key: string): void {
		held.add(this.name(key));
		this.ours.set(key, false);
	}

	private drop(key: string): void {
		if (this.ours.delete(key)) held.delete(this.name(key));
	}

	private settlementOf(key: string): Settlement {
		const answer = this.answers[entryOf(key)];
		if (answer) return { state: 'sent', answer };
		return settled.get(this.name(key)) ?? { state: 'unknown', reason: BROKEN_OFF };
	}

	private keepAnswer(key: string, answer: IDataObject): void {
		this.answers[entryOf(key)] = answer;
		const entries = Object.keys(this.answers);
		if (entries.length > MAX_ANSWERS) delete this.answers[entries[0]];
	}

	// n8n reads all keys of a node, changes them and writes them back.
	private async record<T>(call: (helpers: IExecuteFunctions['helpers']) => Promise<T>): Promise<T> {
		const calls = recordCalls.get(this.scope) ?? new Queue();
		recordCalls.set(this.scope, calls);
		return await calls.run(async () => await call(this.context.helpers));
	}

	private name(key: string): string {
		return `${this.scope}~${key}`;
	}
}

// Prefixed: JavaScript would sort number-like keys, and the oldest goes first.
function entryOf(key: string): string {
	return `key ${key}`;
}
