import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withoutBody, type Sent } from './sendMemory';

const DEDUPLICATION = { mode: 'entries', maxEntries: 50_000 } as const;

/** Ends of keyed sends in this process, by workflow, node and key: executions run side by side in it. */
const underWay = new Map<string, Promise<unknown>>();
const settled = new Map<string, Sent>();

/** Answers kept in this process at most; the oldest go first, and n8n's own records remain. */
const MAX_SETTLED = 10_000;

/** Ends of database calls under way, by workflow and node. */
const recording = new Map<string, Promise<unknown>>();

/** Answers kept in the static data of a node, which n8n writes whole after each execution. */
const MAX_ANSWERS = 10_000;

/**
 * Sends under keys of the user's (an invoice number, say) once and never again, also in a later
 * execution of the same workflow (design, section 5).
 *
 * A key is claimed in n8n's database right before its letter leaves, so that a crash in between cannot
 * lead to a second letter. The answer is kept in the workflow's static data, which n8n stores at the
 * end of production executions. Within one n8n process, executions wait for each other; two workers of
 * a queue that claim within the same few milliseconds could undo each other's claim, since n8n offers
 * nodes no atomic operation.
 */
export class SendOnce {
	private readonly context: IExecuteFunctions;
	private readonly scope: string;
	private readonly answers: Record<string, IDataObject>;

	constructor(context: IExecuteFunctions) {
		this.context = context;
		this.scope = `${context.getWorkflow().id}~${context.getNode().id}`;
		const kept = context.getWorkflowStaticData('node');
		kept.sentOnce ??= {};
		this.answers = kept.sentOnce as Record<string, IDataObject>;
	}

	/** Runs `work` while no other execution in this process works on any of the keys. */
	async exclusively<T>(keys: string[], work: () => Promise<T>): Promise<T> {
		const names = [...new Set(keys)].map((key) => this.name(key));
		return await inTurn(underWay, names, work);
	}

	/** Whether the answer to a letter under the key is at hand, so that it surely does not go out again. */
	hasAnswer(key: string): boolean {
		return 'answer' in this.recall(key);
	}

	/** Claims the keys; gives back what became of those that were claimed before. */
	async claim(keys: string[]): Promise<Map<string, Sent>> {
		if (keys.length === 0) return new Map();
		const { processed } = await this.record(
			async ({ checkProcessedAndRecord }) =>
				await checkProcessedAndRecord(keys, 'node', DEDUPLICATION),
		);
		return new Map(processed.map((key) => [String(key), this.recall(String(key))]));
	}

	/** Gives keys free whose letters surely did not leave. */
	async release(keys: string[]): Promise<void> {
		if (keys.length === 0) return;
		await this.record(
			async ({ removeProcessed }) => await removeProcessed(keys, 'node', DEDUPLICATION),
		);
	}

	/** Keeps what became of a key's letter. */
	keep(key: string, sent: Sent): void {
		if ('answer' in sent) this.keepAnswer(key, withoutBody(sent.answer));
		settled.set(this.name(key), sent);
		const [oldest] = settled.keys();
		if (settled.size > MAX_SETTLED) settled.delete(oldest);
	}

	/**
	 * Takes over what executions beside this one have kept. Each has a copy of the static data of its own
	 * and the last to end writes its copy over the others', so that is to hold the answers of all.
	 */
	gatherAnswers(): void {
		const prefix = this.name('');
		for (const [name, sent] of settled) {
			if (!name.startsWith(prefix) || !('answer' in sent)) continue;
			const key = name.slice(prefix.length);
			if (!(entryOf(key) in this.answers)) this.keepAnswer(key, withoutBody(sent.answer));
		}
	}

	private keepAnswer(key: string, answer: IDataObject): void {
		this.answers[entryOf(key)] = answer;
		const entries = Object.keys(this.answers);
		if (entries.length > MAX_ANSWERS) delete this.answers[entries[0]];
	}

	// n8n reads all keys of a node, changes them and writes them back, so calls must not overlap.
	private async record<T>(call: (helpers: IExecuteFunctions['helpers']) => Promise<T>): Promise<T> {
		return await inTurn(recording, [this.scope], async () => await call(this.context.helpers));
	}

	private recall(key: string): Sent {
		const answer = this.answers[entryOf(key)];
		if (answer) return { answer };
		return (
			settled.get(this.name(key)) ?? {
				unknown:
					'An earlier execution began to send under this key and left no answer: it was a manual one, or it broke off.',
			}
		);
	}

	private name(key: string): string {
		return `${this.scope}~${key}`;
	}
}

// A prefix, since keys that look like numbers would not stand in the order in which they came.
function entryOf(key: string): string {
	return `key ${key}`;
}

/** Runs `work` once whoever came before under any of the names has ended, in whatever way. */
async function inTurn<T>(
	turns: Map<string, Promise<unknown>>,
	names: string[],
	work: () => Promise<T>,
): Promise<T> {
	const turn = Promise.all(names.map((name) => turns.get(name))).then(work);
	const end = turn.then(
		() => undefined,
		() => undefined,
	);
	for (const name of names) turns.set(name, end);
	try {
		return await turn;
	} finally {
		for (const name of names) if (turns.get(name) === end) turns.delete(name);
	}
}
