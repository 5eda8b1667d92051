import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { UsedFor } from '../../../webhook-receiver/src/core/used-for';
import { keepLatest } from '../items/keepLatest';
import { Queue } from '../items/tasks';
import {
	otherUse,
	type Claim,
	type ClaimKey,
	type Claims,
	type Kept,
	type Settlement,
} from './claims';

const DEDUPLICATION = { mode: 'entries', maxEntries: 50_000 } as const;

/** n8n's lists of keys, by their scope: the user's are the node's, the pack's own the workflow's. */
type List = 'node' | 'workflow';

/** Names of the keys that this process is sending under; its executions run concurrently. */
const held = new Set<string>();

/** Names of keys that n8n may have recorded, and under which this process surely sent nothing. */
const unused = new Set<string>();

/** What became of keys in this process, by name; apart, so that neither pushes out the other. */
const remembered = { node: new Map<string, Remembered>(), workflow: new Map<string, Remembered>() };

/** Most results of each to keep; the oldest go first, and n8n's own records remain. */
const MAX_REMEMBERED = 10_000;

/** Calls to each list of n8n's: they must not overlap, since each reads, changes and writes all of it. */
const calls = new Map<string, Queue>();

/** Most outputs to keep in a node's static data, all of which n8n writes after each execution. */
const MAX_OUTPUTS = 10_000;

/** A try was interrupted, or its answer is no longer kept. There is no telling which. */
const noAnswer = ({ isOwn }: ClaimKey): string =>
	`An earlier try ${isOwn === true ? 'claimed this letter' : 'used this key'}, and its answer is not kept: the letter went out and n8n was restarted since or more than 10,000 others followed, or the try was interrupted.`;

interface Remembered {
	kept: Kept;
	key: ClaimKey;
	/** ISO 8601. */
	on: string;
}

/** What was sent under a key, in the node's static data, where addresses are never erased. */
interface StoredOutputs {
	outputs: IDataObject[];
	usedFor: UsedFor | null;
	on: string;
}

/**
 * Claims kept by n8n, in two lists: the user's keys in the node's, the pack's own in the workflow's, where
 * they push out none of the user's, and a retry finds them though its node was cut and pasted. n8n's database
 * records a key right before its letter is sent, so that a crash in between cannot lead to a second letter.
 * The node's static data, which n8n stores at the end of production executions, holds the answers under the
 * user's keys; those under the pack's own stay in memory.
 *
 * One winner within one n8n process. Two processes that claim at the same time can undo each
 * other's claims, since n8n reads and writes its records whole (two processes, 100 keys each: up to
 * 39 sent twice). They need `ReceiverClaims`.
 */
export class LocalClaims implements Claims {
	private readonly context: IExecuteFunctions;
	/** What this try holds, and whether each was unknown before. */
	private readonly ours = new Map<string, { key: ClaimKey; wasUnknown: boolean }>();
	/** Whether this try put an answer into the static data. */
	private hasStored = false;

	constructor(context: IExecuteFunctions) {
		this.context = context;
	}

	async claim(keys: readonly ClaimKey[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		const claims = new Map<string, Claim>(keys.map(({ id }) => [id, { state: 'busy' }]));
		const free = keys.filter((key) => !held.has(this.name(key)));
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

	async sentBefore(keys: readonly ClaimKey[]): Promise<Set<string>> {
		const sent = keys.filter((key) => this.known(key)?.kept.state === 'sent');
		return new Set(sent.map(({ id }) => id));
	}

	async settle(settlements: ReadonlyMap<string, Settlement>): Promise<void> {
		const free: ClaimKey[] = [];
		for (const [id, settlement] of settlements) {
			const claimed = this.ours.get(id);
			if (claimed === undefined) continue;
			const { key, wasUnknown } = claimed;
			if (settlement.state !== 'not sent') this.remember(key, settlement);
			// A key that was unknown before stays recorded, hence unknown: the earlier letter may have been sent.
			else if (!wasUnknown) free.push(key);
			this.drop(id);
		}
		await this.release(free);
	}

	/**
	 * Also merges the answers of concurrent executions: each has its own copy of the static data,
	 * and the last to end overwrites the others', so its copy must hold everyone's answers.
	 */
	async end(): Promise<void> {
		for (const id of [...this.ours.keys()]) this.drop(id);
		if (!this.hasStored) return;
		const prefix = this.scopeOf('node');
		for (const [name, one] of remembered.node) if (name.startsWith(prefix)) this.storeOutputs(one);
	}

	private remember(key: ClaimKey, kept: Kept): void {
		const one = { kept, key, on: new Date().toISOString() };
		this.storeOutputs(one);
		keepLatest(remembered[listOf(key)], this.name(key), one, MAX_REMEMBERED);
	}

	private async release(free: readonly ClaimKey[]): Promise<void> {
		for (const key of free) unused.add(this.name(key));
		try {
			await this.inLists(free, async (ids, list) => {
				await this.context.helpers.removeProcessed(ids, list, DEDUPLICATION);
			});
			for (const key of free) unused.delete(this.name(key));
		} catch {
			// They stay recorded, and after a restart they count as unknown: better a letter too few.
		}
	}

	/** @returns those that were recorded before */
	private async recordAll(keys: readonly ClaimKey[]): Promise<Set<string>> {
		const recorded = new Set<string>();
		await this.inLists(keys, async (ids, list) => {
			const { helpers } = this.context;
			const { processed } = await helpers.checkProcessedAndRecord(ids, list, DEDUPLICATION);
			for (const id of processed) recorded.add(String(id));
		});
		// Of what is recorded, what this process put there and did not use is as good as new.
		for (const key of keys) if (unused.delete(this.name(key))) recorded.delete(key.id);
		return recorded;
	}

	private hold(key: ClaimKey, wasUnknown: boolean): void {
		held.add(this.name(key));
		this.ours.set(key.id, { key, wasUnknown });
	}

	private drop(id: string): void {
		const claimed = this.ours.get(id);
		if (claimed) held.delete(this.name(claimed.key));
		this.ours.delete(id);
	}

	/** What is known comes first: n8n's list forgets a key sooner than its answer where it has much to record. */
	private stateOf(key: ClaimKey, isRecorded: boolean): Claim {
		const known = this.known(key);
		if (known !== null) return otherUse(key.usedFor, known.usedFor, known.on) ?? known.kept;
		return isRecorded ? { state: 'unknown', reason: noAnswer(key) } : { state: 'ours' };
	}

	private known(key: ClaimKey): { kept: Kept; usedFor: UsedFor | null; on: string } | null {
		const inMemory = remembered[listOf(key)].get(this.name(key));
		if (inMemory) return { ...inMemory, usedFor: inMemory.key.usedFor };
		const stored = this.storedOutputs()[entryOf(key.id)];
		if (stored === undefined) return null;
		const { outputs, usedFor, on } = stored;
		return { kept: { state: 'sent', outputs }, usedFor, on };
	}

	private storeOutputs({ kept, key, on }: Remembered): void {
		if (kept.state !== 'sent' || key.isOwn === true) return;
		const entry = entryOf(key.id);
		if (entry in this.storedOutputs()) return;
		this.staticData.sentOnce ??= {};
		const all = this.storedOutputs();
		const usedFor = key.usedFor && { ...key.usedFor, to: '' };
		all[entry] = { outputs: kept.outputs, usedFor, on };
		this.hasStored = true;
		const entries = Object.keys(all);
		if (entries.length > MAX_OUTPUTS) delete all[entries[0]];
	}

	// Written to only with an answer, since n8n then overwrites what other executions stored.
	private get staticData(): IDataObject {
		return this.context.getWorkflowStaticData('node');
	}

	private storedOutputs(): Record<string, StoredOutputs> {
		return (this.staticData.sentOnce ?? {}) as unknown as Record<string, StoredOutputs>;
	}

	/** Calls n8n for the keys of each list, one call after the other. */
	private async inLists(
		keys: readonly ClaimKey[],
		call: (ids: string[], list: List) => Promise<void>,
	): Promise<void> {
		for (const list of ['node', 'workflow'] as const) {
			const ids = keys.filter((key) => listOf(key) === list).map(({ id }) => id);
			if (ids.length === 0) continue;
			const scope = this.scopeOf(list);
			const queue = calls.get(scope) ?? new Queue();
			calls.set(scope, queue);
			await queue.run(async () => await call(ids, list));
		}
	}

	private scopeOf(list: List): string {
		const owner = list === 'node' ? this.context.getNode().id : '';
		return `${this.context.getWorkflow().id}~${owner}~`;
	}

	private name(key: ClaimKey): string {
		return `${this.scopeOf(listOf(key))}${key.id}`;
	}
}

function listOf({ isOwn }: ClaimKey): List {
	return isOwn === true ? 'workflow' : 'node';
}

// Prefixed: JavaScript would sort number-like keys, and the oldest goes first.
function entryOf(id: string): string {
	return `key ${id}`;
}
