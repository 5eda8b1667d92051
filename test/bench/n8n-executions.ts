import { DatabaseSync } from 'node:sqlite';

import { until } from '../n8n/poll.ts';
import { nodeRuns } from './n8n-run.ts';
import type { StartedByEvents } from './n8n-webhooks.ts';

/** An execution that has ended. */
export interface Ended {
	id: number;
	/** Milliseconds since 1970. */
	stoppedAt: number;
}

/**
 * The executions of a workflow, read from n8n's database. n8n itself is not asked: that would take of the
 * time that is measured.
 */
export class Executions {
	private readonly database: DatabaseSync;
	private readonly started: StartedByEvents;
	/** The last execution there was when the watch began. */
	private last: number;

	constructor(file: string, started: StartedByEvents) {
		this.database = new DatabaseSync(file, { readOnly: true });
		this.started = started;
		this.last = this.lastId();
	}

	/** Leaves out what there is by now. */
	forget(): void {
		this.last = this.lastId();
	}

	/**
	 * Waits until executions that have ended hold that many items of the starting node, none lost and
	 * none twice.
	 *
	 * @returns when the last of them ended, and how many there were
	 */
	async untilItems(wanted: number): Promise<{ endedAt: number; executions: number }> {
		const counted = new Map<number, number>();
		let endedAt = 0;
		const sum = () => [...counted.values()].reduce((total, items) => total + items, 0);
		await until(
			`${wanted} items in executions`,
			async () => {
				for (const { id, stoppedAt } of this.ended()) {
					if (counted.has(id)) continue;
					counted.set(id, this.startingRun(id).items);
					endedAt = Math.max(endedAt, stoppedAt);
				}
				return sum() >= wanted;
			},
			600,
		);
		if (sum() !== wanted) throw new Error(`${wanted} events became ${sum()} items.`);
		return { endedAt, executions: counted.size };
	}

	/** Those that ended since the watch began. */
	ended(): Ended[] {
		const rows = this.database
			.prepare(
				`SELECT id, stoppedAt, status FROM execution_entity
				WHERE workflowId = ? AND id > ? AND stoppedAt IS NOT NULL`,
			)
			.all(this.started.workflow.id, this.last) as unknown as Row[];
		const failed = rows.find(({ status }) => status !== 'success');
		if (failed) throw new Error(`Execution ${failed.id} ended as ${failed.status}.`);
		return rows.map(({ id, stoppedAt }) => ({ id, stoppedAt: Date.parse(utc(stoppedAt)) }));
	}

	/** The run of the node that started the execution. */
	startingRun(id: number) {
		const { data } = this.database
			.prepare('SELECT data FROM execution_data WHERE executionId = ?')
			.get(id) as { data: string };
		return nodeRuns(data)[this.started.starter];
	}

	close(): void {
		this.database.close();
	}

	private lastId(): number {
		const row = this.database
			.prepare('SELECT max(id) AS id FROM execution_entity WHERE workflowId = ?')
			.get(this.started.workflow.id) as { id: number | null };
		return row.id ?? 0;
	}
}

interface Row {
	id: number;
	stoppedAt: string;
	status: string;
}

// n8n stores `2026-01-31 09:30:00.000`.
function utc(stored: string): string {
	return `${stored.replace(' ', 'T')}Z`;
}
