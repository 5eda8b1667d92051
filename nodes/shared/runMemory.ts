import { createHash } from 'crypto';
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
	return (byRun[runName(context)] ??= {});
}

// n8n counts every try of a tool that an agent calls as a run of its own, so there it is what the agent
// asked for that tells one call from another, and stays the same from try to try.
function runName(context: IExecuteFunctions): string {
	if (!context.isToolExecution()) return String(context.evaluateExpression('{{ $runIndex }}', 0));
	const asked = JSON.stringify(context.getInputData().map(({ json }) => json));
	return `tool ${createHash('sha256').update(asked).digest('base64url').slice(0, 22)}`;
}
