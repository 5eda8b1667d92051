import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { BatchSettlement } from '../core/pull-contract.ts';

/** A counter with its labels from the start: `increase()` does not see a series that begins above 0. */
export function counter<Value extends string>(
	registry: Registry,
	name: string,
	help: string,
	label: string,
	values: readonly Value[],
): (value: Value, count?: number) => void {
	const labelNames = [label];
	const registers = [registry];
	const counted = new Counter({ registers, name: `receiver_${name}_total`, help, labelNames });
	for (const value of values) counted.inc({ [label]: value }, 0);
	return (value, count = 1) => counted.inc({ [label]: value }, count);
}

/** One without labels. */
export function total(registry: Registry, name: string, help: string): (count: number) => void {
	const counted = new Counter({ registers: [registry], name: `receiver_${name}_total`, help });
	return (count) => counted.inc(count);
}

export type Counts = ReturnType<typeof createCounts>;

/** What the kernel counts. */
export function createCounts(registry: Registry) {
	const batches = (name: string, help: string) => {
		const count = counter(registry, name, help, 'outcome', ['handed-out', 'ack', 'nak', 'dead']);
		return (outcome: 'handed-out' | BatchSettlement['outcome'], times: number): void => {
			if (outcome !== 'inProgress') count(outcome === 'term' ? 'dead' : outcome, times);
		};
	};
	return {
		events: counter(
			registry,
			'events',
			'Events accepted or duplicate, requests refused',
			'outcome',
			['accepted', 'duplicate', 'refused'],
		),
		batches: batches('batches', 'Batches handed out, then ack, nak (again) or dead'),
		wakeUps: batches(
			'wake_ups',
			'Wake-ups handed out, then ack (n8n has them), nak (again) or dead (given up)',
		),
	};
}
