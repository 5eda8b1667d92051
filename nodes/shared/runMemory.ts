import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * A place to remember what this run of the node has done, under a name. It lives in the node's context,
 * which n8n keeps over *Retry On Fail* and when an execution is retried from its list (design, section
 * 5). Each run of a loop has one of its own.
 */
export function runMemory<T>(context: IExecuteFunctions, name: string): Record<string, T> {
	const kept = context.getContext('node');
	kept[name] ??= {};
	const byRun = kept[name] as unknown as Record<string, Record<string, T>>;
	const run = String(context.evaluateExpression('{{ $runIndex }}', 0));
	return (byRun[run] ??= {});
}
