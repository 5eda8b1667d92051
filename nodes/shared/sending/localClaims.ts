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

/** What became of keys in this process, by name. */
const remembered = new Map<string, Kept>();

/** Most results to keep in this process; the oldest go first, and n8n's own records remain. */
const MAX_REMEMBERED = 10_000;

/** Calls to each node's n8n records, queued because they must not overlap. */
const recordCalls = new Map<string, Queue>();

/** Most outputs to keep in a node's static data, all of which n8n writes after each execution. */
const MAX_OUTPUTS = 10_000;

const BROKEN_OFF =
	'An earlier try began to send under this key and left no result: it was interrupted, or its result was not stored.';

interface Kept {
	fate: LastingFate;
	key: ClaimKey;
	/** ISO 8601. */
	on: string;
}

/** What was sent under a key, in the node's static data. */
interface KeptOutput {
	output: IDataObject;
	usedFor: UsedFor | null;
	on: string;
}

/**
 * Claims kept by n8n, for one node of one workflow. n8n's database records a key right before its
 * letter is sent, so that a crash in between cannot lead to a second letter. The workflow's static
 * data, which n8n stores at the end of production executions, holds the answers under the user's
 * keys; those under the ledger's own are for other retries and stay in memory.
 *
 * One winner within one n8n process. Two processes that claim at the same time can undo each
 * other's claims, since n8n reads and writes its records whole (two processes, 100 keys each: up to
 * 39 sent twice). They need `ReceiverClaims`.
 */
export class LocalClaims implements Claims {
	private readonly context: IExecuteFunctions;
	private readonly scope: string;
	/** What this try holds, and whether each was unknown before. */
	private readonly ours = new Map<string, { key: ClaimKey; wasUnknown: boolean }>();
	/** Whether this try put an answer into the static data. */
	private hasKept = false;

	constructor(context: IExecuteFunctions) {
		this.context = context;
		this.scope = `${context.getWorkflow().id}~${context.getNode().id}`;
	}

	async claim(keys: readonly ClaimKey[], takesUnknown: boolean): Promise<Map<string, Claim>> {
		const claims = new Map<string, Claim>(keys.map(({ text }) => [text, { state: 'busy' }]));
		const free = keys.filter(({ text }) => !held.has(this.name(text)));
		for (const key of free) this.hold(key, false);
		let before: Set<string>;
		try {
			before = await this.recordAll(free);
		} catch (error) {
			for (const { text } of free) this.drop(text);
			throw new NodeOperationError(
				this.context.getNode(),
				`n8n could not record the letters before they left, so none was sent: ${(error as Error).message}`,
			);
		}
		for (const key of free) {
			const claim: Claim = before.has(key.text) ? this.stateOf(key) : { state: 'ours' };
			const isUnknown = claim.state === 'unknown';
			const isOurs = claim.state === 'ours' || (isUnknown && takesUnknown);
			if (isOurs) this.hold(key, isUnknown);
			else this.drop(key.text);
			claims.set(key.text, isOurs ? { state: 'ours' } : claim);
		}
		return claims;
	}

	async known(keys: readonly ClaimKey[]): Promise<Set<string>> {
		const sent = keys.filter(({ text }) => this.keptOf(text)?.fate.state === 'sent');
		return new Set(sent.map(({ text }) => text));
	}

	async keep(fates: ReadonlyMap<string, LastingFate>): Promise<void> {
		for (const [text, fate] of fates) {
			const key = this.ours.get(text)?.key;
			if (key === undefined) continue;
			const kept = { fate, key, on: new Date().toISOString() };
			this.keepOutput(kept);
			keepLatest(remembered, this.name(text), kept, MAX_REMEMBERED);
			this.drop(text);
		}
	}

	async release(keys: readonly ClaimKey[]): Promise<void> {
		const texts = keys.map(({ text }) => text).filter((text) => this.ours.has(text));
		// A key that was unknown before stays recorded, hence unknown: the earlier letter may have been sent.
		const free = texts.filter((text) => this.ours.get(text)?.wasUnknown === false);
		for (const text of free) unused.add(this.name(text));
		for (const text of texts) this.drop(text);
		if (free.length === 0) return;
		try {
			await this.record(({ removeProcessed }) => removeProcessed(free, 'node', DEDUPLICATION));
			for (const text of free) unused.delete(this.name(text));
		} catch {
			// They stay recorded, and after a restart they count as unknown: better a letter too few.
		}
	}

	/**
	 * Also merges the answers of concurrent executions: each has its own copy of the static data,
	 * and the last to end overwrites the others', so its copy must hold everyone's answers.
	 */
	async end(): Promise<void> {
		for (const text of [...this.ours.keys()]) this.drop(text);
		if (!this.hasKept) return;
		const prefix = this.name('');
		for (const [name, kept] of remembered) if (name.startsWith(prefix)) this.keepOutput(kept);
	}

	/** @returns those that were recorded before */
	private async recordAll(keys: readonly ClaimKey[]): Promise<Set<string>> {
		if (keys.length === 0) return new Set();
		const texts = keys.map(({ text }) => text);
		const { processed } = await this.record(({ checkProcessedAndRecord }) =>
			checkProcessedAndRecord(texts, 'node', DEDUPLICATION),
		);
		// Of what is recorded, what this process put there and did not use is as good as new.
		return new Set(processed.map(String).filter((text) => !unused.delete(this.name(text))));
	}

	private hold(key: ClaimKey, wasUnknown: boolean): void {
		held.add(this.name(key.text));
		this.ours.set(key.text, { key, wasUnknown });
	}

	private drop(text: string): void {
		if (this.ours.delete(text)) held.delete(this.name(text));
	}

	private stateOf({ text, usedFor }: ClaimKey): Claim {
		const kept = this.keptOf(text);
		if (kept === null) return { state: 'unknown', reason: BROKEN_OFF };
		return otherUse(usedFor, kept.key.usedFor, kept.on) ?? kept.fate;
	}

	private keptOf(text: string): Kept | null {
		const kept = this.outputs()[entryOf(text)];
		if (kept === undefined) return remembered.get(this.name(text)) ?? null;
		const { output, usedFor, on } = kept;
		return { fate: { state: 'sent', output }, key: { text, usedFor }, on };
	}

	private keepOutput({ fate, key, on }: Kept): void {
		if (fate.state !== 'sent' || key.isOwn === true) return;
		const entry = entryOf(key.text);
		if (entry in this.outputs()) return;
		this.staticData.sentOnce ??= {};
		const outputs = this.outputs();
		outputs[entry] = { output: fate.output, usedFor: key.usedFor, on };
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

	private name(text: string): string {
		return `${this.scope}~${text}`;
	}
}

// Prefixed: JavaScript would sort number-like keys, and the oldest goes first.
function entryOf(text: string): string {
	return `key ${text}`;
}
