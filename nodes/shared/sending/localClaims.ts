import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { UsedFor } from '../../../webhook-receiver/src/core/used-for';
import { keepLatest } from '../items/keepLatest';
import { Queue } from '../items/queue';
import { otherUse, type Claim, type ClaimKey, type Claims } from './claims';
import type { LastingFate } from './fate';

const DEDUPLICATION = { mode: 'entries', maxEntries: 50_000 } as const;

/** Names of the keys that this process is sending under; its executions run concurrently. */
const held = new Set<string>();

/** Names of keys that n8n may have recorded, and under which this process surely sent nothing. */
const unused = new Set<string>();

/** What became of keys in this process, by name; apart, so that neither pushes out the other. */
const remembered = { node: new Map<string, Kept>(), workflow: new Map<string, Kept>() };

/** Most results of each to keep; the oldest go first, and n8n's own records remain. */
const MAX_REMEMBERED = 10_000;

/** Calls to each list of n8n's, queued because they must not overlap. */
const recordCalls = new Map<string, Queue>();

/** Most outputs to keep in a node's static data, all of which n8n writes after each execution. */
const MAX_OUTPUTS = 10_000;

/** Either a try was interrupted, or its answer is no longer kept: which, nobody knows. */
const NO_ANSWER =
	'An earlier try used this key, and its answer is not kept: the letter went out and n8n was restarted since or more than 10,000 others followed, or the try was interrupted.';

interface Kept {
	fate: LastingFate;
	key: ClaimKey;
	/** ISO 8601. */
	on: string;
}

/** What was sent under a key, in the node's static data, where nobody erases addresses. */
interface KeptOutput {
	output: IDataObject;
	usedFor: UsedFor | null;
	on: string;
}

/**
 * Claims kept by n8n, in two lists: the user's keys in the node's, the ledger's own in the workflow's, where
 * they push out none of the user's, and a retry finds them though its node was cut and pasted. n8n's database
 * records a key right before its letter is sent, so that a crash in between cannot lead to a second letter.
 * The node's static data, which n8n stores at the end of production executions, holds the answers under the
 * user's keys; those under the ledger's own are for other retries and stay in memory.
 *
 * One winner within one n8n process. Two processes that claim at the same time can undo each
 * other's claims, since n8n reads and writes its records whole (two processes, 100 keys each: up to
 * 39 sent twice). They need `ReceiverClaims`.
 */
export class LocalClaims implements Claims {
	private readonly context: IExecuteFunctions;
	/** Which of n8n's lists. */
	private readonly list: 'node' | 'workflow';
	private readonly scope: string;
	/** What this try holds, and whether each was unknown before. */
	private readonly ours = new Map<string, { key: ClaimKey; wasUnknown: boolean }>();
	/** Whether this try put an answer into the static data. */
	private hasKept = false;

	constructor(context: IExecuteFunctions, list: 'node' | 'workflow') {
		this.context = context;
		this.list = list;
		const owner = list === 'node' ? context.getNode().id : '';
		this.scope = `${context.getWorkflow().id}~${owner}`;
	}

	async claim(keys: readonly ClaimKey[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		const claims = new Map<string, Claim>(keys.map(({ id }) => [id, { state: 'busy' }]));
		const free = keys.filter(({ id }) => !held.has(this.name(id)));
		for (const key of free) this.hold(key, false);
		let before: Set<string>;
		try {
			before = await this.recordAll(free);
		} catch (error) {
			for (const { id } of free) this.drop(id);
			throw new NodeOperationError(
				this.context.getNode(),
				`n8n could not record the letters before they left, so none was sent: ${(error as Error).message}`,
			);
		}
		for (const key of free) {
			const claim = this.stateOf(key, before.has(key.id));
			const isUnknown = claim.state === 'unknown';
			const isOurs = claim.state === 'ours' || (isUnknown && takesUnknown);
			if (isOurs) this.hold(key, isUnknown);
			else this.drop(key.id);
			claims.set(key.id, isOurs ? { state: 'ours' } : claim);
		}
		return claims;
	}

	async known(keys: readonly ClaimKey[]): Promise<Set<string>> {
		const sent = keys.filter(({ id }) => this.keptOf(id)?.fate.state === 'sent');
		return new Set(sent.map(({ id }) => id));
	}

	async keep(fates: ReadonlyMap<string, LastingFate>): Promise<void> {
		for (const [id, fate] of fates) {
			const key = this.ours.get(id)?.key;
			if (key === undefined) continue;
			const kept = { fate, key, on: new Date().toISOString() };
			this.keepOutput(kept);
			keepLatest(remembered[this.list], this.name(id), kept, MAX_REMEMBERED);
			this.drop(id);
		}
	}

	async release(keys: readonly ClaimKey[]): Promise<void> {
		const ids = keys.map(({ id }) => id).filter((id) => this.ours.has(id));
		// A key that was unknown before stays recorded, hence unknown: the earlier letter may have been sent.
		const free = ids.filter((id) => this.ours.get(id)?.wasUnknown === false);
		for (const id of free) unused.add(this.name(id));
		for (const id of ids) this.drop(id);
		if (free.length === 0) return;
		try {
			await this.record(({ removeProcessed }) => removeProcessed(free, this.list, DEDUPLICATION));
			for (const id of free) unused.delete(this.name(id));
		} catch {
			// They stay recorded, and after a restart they count as unknown: better a letter too few.
		}
	}

	/**
	 * Also merges the answers of concurrent executions: each has its own copy of the static data,
	 * and the last to end overwrites the others', so its copy must hold everyone's answers.
	 */
	async end(): Promise<void> {
		for (const id of [...this.ours.keys()]) this.drop(id);
		if (!this.hasKept) return;
		const prefix = this.name('');
		for (const [name, kept] of remembered[this.list])
			if (name.startsWith(prefix)) this.keepOutput(kept);
	}

	/** @returns those that were recorded before */
	private async recordAll(keys: readonly ClaimKey[]): Promise<Set<string>> {
		if (keys.length === 0) return new Set();
		const ids = keys.map(({ id }) => id);
		const { processed } = await this.record(({ checkProcessedAndRecord }) =>
			checkProcessedAndRecord(ids, this.list, DEDUPLICATION),
		);
		// Of what is recorded, what this process put there and did not use is as good as new.
		return new Set(processed.map(String).filter((id) => !unused.delete(this.name(id))));
	}

	private hold(key: ClaimKey, wasUnknown: boolean): void {
		held.add(this.name(key.id));
		this.ours.set(key.id, { key, wasUnknown });
	}

	private drop(id: string): void {
		if (this.ours.delete(id)) held.delete(this.name(id));
	}

	/** What is known comes first: n8n's list forgets a key sooner than its answer where it has much to record. */
	private stateOf({ id, usedFor }: ClaimKey, isRecorded: boolean): Claim {
		const kept = this.keptOf(id);
		if (kept !== null) return otherUse(usedFor, kept.usedFor, kept.on) ?? kept.fate;
		return isRecorded ? { state: 'unknown', reason: NO_ANSWER } : { state: 'ours' };
	}

	private keptOf(id: string): (Omit<Kept, 'key'> & Pick<ClaimKey, 'usedFor'>) | null {
		const inMemory = remembered[this.list].get(this.name(id));
		if (inMemory) return { ...inMemory, usedFor: inMemory.key.usedFor };
		const kept = this.outputs()[entryOf(id)];
		if (kept === undefined) return null;
		const { output, usedFor, on } = kept;
		return { fate: { state: 'sent', output }, usedFor, on };
	}

	private keepOutput({ fate, key, on }: Kept): void {
		if (fate.state !== 'sent' || key.isOwn === true) return;
		const entry = entryOf(key.id);
		if (entry in this.outputs()) return;
		this.staticData.sentOnce ??= {};
		const outputs = this.outputs();
		const usedFor = key.usedFor && { ...key.usedFor, to: '' };
		outputs[entry] = { output: fate.output, usedFor, on };
		this.hasKept = true;
		const entries = Object.keys(outputs);
		if (entries.length > MAX_OUTPUTS) delete outputs[entries[0]];
	}

	// Written to only with an answer, since n8n then overwrites what other executions stored.
	private get staticData(): IDataObject {
		return this.context.getWorkflowStaticData('node');
	}

	private outputs(): Record<string, KeptOutput> {
		return (this.staticData.sentOnce ?? {}) as unknown as Record<string, KeptOutput>;
	}

	// n8n reads all keys of a node, changes them and writes them back.
	private async record<T>(call: (helpers: IExecuteFunctions['helpers']) => Promise<T>): Promise<T> {
		const calls = recordCalls.get(this.scope) ?? new Queue();
		recordCalls.set(this.scope, calls);
		return await calls.run(async () => await call(this.context.helpers));
	}

	private name(id: string): string {
		return `${this.scope}~${id}`;
	}
}

// Prefixed: JavaScript would sort number-like keys, and the oldest goes first.
function entryOf(id: string): string {
	return `key ${id}`;
}
