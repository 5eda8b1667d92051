import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * A named memory of this run of the node. It lives in the node's context, which n8n keeps across *Retry On
 * Fail* and when someone retries an execution from the list. Each round of a loop has
 * its own.
 */
export function runMemory<T>(context: IExecuteFunctions, name: string): Record<string, T> {
	const kept = context.getContext('node');
	kept[name] ??= {};
	const byRun = kept[name] as unknown as Record<string, Record<string, T>>;
	return (byRun[runName(context)] ??= {});
}

/**
 * What identifies a run of the node within its execution. When an agent calls the node as a tool, n8n counts
 * every try as a run, so there its input does: it differs between calls and stays the same between tries.
 */
export function runName(context: IExecuteFunctions): string {
	if (!context.isToolExecution()) return String(context.evaluateExpression('{{ $runIndex }}', 0));
	const input = JSON.stringify(context.getInputData().map(({ json }) => json));
	return `tool ${createHash('sha256').update(input).digest('base64url').slice(0, 22)}`;
}
