import { createHash, randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * A named memory of this run of the node. It lives in the node's context, which n8n keeps across *Retry On
 * Fail* and when someone retries an execution from the list. Each round of a loop has its own.
 */
export function runMemory<T>(context: IExecuteFunctions, name: string): Record<string, T> {
	const kept = context.getContext('node');
	kept[name] ??= {};
	const byRun = kept[name] as unknown as Record<string, Record<string, T>>;
	return (byRun[runName(context)] ??= {});
}

/**
 * What identifies a run of the node within its execution. When n8n's agent up to version 2 calls the node as a tool,
 * or its MCP server does, n8n counts every try as a run, so there its input does: it stays the same between tries.
 * For an agent from version 3 on the engine runs the node as any other, once for each call.
 */
export function runName(context: IExecuteFunctions): string {
	if (!context.isToolExecution()) return String(context.getWorkflowDataProxy(0).$runIndex);
	const input = JSON.stringify(context.getInputData().map(({ json }) => json));
	return `tool ${createHash('sha256').update(input).digest('base64url').slice(0, 22)}`;
}

/**
 * The same for an execution and all its retries, and for no other: n8n gives each execution a random
 * token when it is created, for its resume URL, stores it before the first node runs, and hands it
 * on to retries. A digest, since the token opens that URL.
 */
export function executionName(context: IExecuteFunctions): string {
	const url = resumeUrlOf(context);
	const token = URL.canParse(url) ? new URL(url).searchParams.get('signature') : null;
	// An execution stored by an n8n that gave none has one in its context.
	const secret = token ?? (runMemory<string>(context, 'ledgerId').id ??= randomUUID());
	return createHash('sha256').update(secret).digest('base64url').slice(0, 22);
}

/** Where n8n resumes this execution. Anyone who has the URL can do so. */
export function resumeUrlOf(context: IExecuteFunctions): string {
	return String(context.getWorkflowDataProxy(0).$execution.resumeUrl);
}
