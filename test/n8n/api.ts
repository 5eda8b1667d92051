import { parse as parseFlatted } from 'flatted';

import { until } from './poll.ts';

/** The owner of the n8n that the demo and the tests set up. Loopback only, so not a secret. */
export const OWNER = {
	email: 'demo@registered-delivery.example',
	firstName: 'Demo',
	lastName: 'Owner',
	password: 'Registered-2026',
};

export interface WorkflowFile {
	name: string;
	nodes: Array<Record<string, unknown> & { name: string; type: string }>;
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

export interface StoredWorkflow extends WorkflowFile {
	id: string;
	versionId: string;
	active: boolean;
}

/** One item on a node's output, as stored with the execution. */
export interface OutputItem {
	json: Record<string, unknown>;
	binary?: Record<string, unknown>;
	pairedItem?: unknown;
}

export interface Execution {
	id: string;
	workflowId: string;
	status: string;
	/** How it was started: `manual`, `trigger`, `webhook` … */
	mode: string;
	error: { message: string; description?: string } | null;
	/** Items by node name: the first output of each node's last run. */
	output: Record<string, OutputItem[]>;
	/** Items by node name: every output of every run. */
	runs: Record<string, OutputItem[][][]>;
	/** The execution as n8n stored it, to search for what must not be there. */
	raw: string;
}

/** Does what the editor does, over n8n's own REST interface. */
export class N8nApi {
	private cookie = '';
	private readonly url: string;

	private constructor(url: string) {
		this.url = url;
	}

	/** Logs in as the owner, creating it if necessary. */
	static async connect(url: string): Promise<N8nApi> {
		const api = new N8nApi(url);
		const { email, password } = OWNER;
		const login = { emailOrLdapLoginId: email, password };
		// Only with the editor does n8n tell whether it has an owner.
		await api
			.call('POST', '/rest/login', login)
			.catch(async () => await api.call('POST', '/rest/owner/setup', OWNER))
			.catch((cause: Error) => {
				throw new Error(
					`This n8n no longer lets ${email} in with the password ${password}. Use another ` +
						`--folder, or remove this one. (${cause.message})`,
					{ cause },
				);
			});
		return api;
	}

	/** Creates the credential, or updates the one with that name. @returns its id */
	async saveCredential(name: string, type: string, data: object): Promise<string> {
		const known = await this.call<Array<{ id: string; name: string }>>('GET', '/rest/credentials');
		const existing = known.find((credential) => credential.name === name);
		const body = { name, type, data };
		const saved = existing
			? await this.call<{ id: string }>('PATCH', `/rest/credentials/${existing.id}`, body)
			: await this.call<{ id: string }>('POST', '/rest/credentials', body);
		return saved.id;
	}

	/** A key for n8n's public API, as a user makes it under Settings. */
	async createApiKey(label: string): Promise<{ rawApiKey: string }> {
		const scopes = ['execution:list', 'execution:read'];
		return await this.call('POST', '/rest/api-keys', { label, scopes, expiresAt: null });
	}

	async deleteCredential(id: string): Promise<void> {
		await this.call('DELETE', `/rest/credentials/${id}`);
	}

	/** Invites a member. @returns the same interface in the member's name */
	async invite(email: string): Promise<N8nApi> {
		const wanted = [{ email, role: 'global:member' }];
		const [{ user }] = await this.call<Array<{ user: { inviteAcceptUrl: string } }>>(
			'POST',
			'/rest/invitations',
			wanted,
		);
		const token = new URL(user.inviteAcceptUrl).searchParams.get('token');
		const { firstName, lastName, password } = OWNER;
		const member = new N8nApi(this.url);
		await member.call('POST', '/rest/invitations/accept', { token, firstName, lastName, password });
		return member;
	}

	/** Creates the workflow, or updates the one with that name. */
	async saveWorkflow(workflow: WorkflowFile): Promise<StoredWorkflow> {
		const { name, nodes, connections, settings = {} } = workflow;
		const existing = await this.findWorkflow(name);
		const body = { name, nodes, connections, settings };
		return existing
			? await this.call('PATCH', `/rest/workflows/${existing.id}?forceSave=true`, body)
			: await this.call('POST', '/rest/workflows', body);
	}

	async findWorkflow(name: string): Promise<StoredWorkflow | undefined> {
		const known = await this.call<Array<{ id: string; name: string; isArchived: boolean }>>(
			'GET',
			'/rest/workflows',
		);
		const found = known.find((stored) => stored.name === name && !stored.isArchived);
		return found && (await this.workflow(found.id));
	}

	async workflow(id: string): Promise<StoredWorkflow> {
		return await this.call('GET', `/rest/workflows/${id}`);
	}

	/** Publishes the workflow, which starts its triggers. */
	async activate(id: string): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.call('POST', `/rest/workflows/${id}/activate`, { versionId });
	}

	async deactivate(id: string): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/deactivate`, {});
	}

	/** Puts a workflow out of sight, as the editor does before it deletes one. */
	async archive(id: string): Promise<void> {
		await this.call('POST', `/rest/workflows/${id}/archive`, {});
	}

	/** The error n8n shows on a published workflow whose trigger does not work; null when it does. */
	async problemOf(id: string): Promise<string | null> {
		const atRuntime = await this.call<unknown>('GET', `/rest/active-workflows/error/${id}`);
		if (typeof atRuntime === 'string') return atRuntime;
		const { triggers } = await this.call<{ triggers: Array<{ errorMessage: string | null }> }>(
			'GET',
			`/rest/workflows/${id}/publication-status`,
		);
		return triggers.find(({ errorMessage }) => errorMessage !== null)?.errorMessage ?? null;
	}

	/** Runs the workflow from its first or the named manual trigger, and waits for it to end. */
	async run(
		workflow: StoredWorkflow,
		{ timeout = 120_000, from }: { timeout?: number; from?: string } = {},
	): Promise<Execution> {
		return await this.finished(await this.start(workflow, from), timeout);
	}

	/** Starts it the same way without waiting. @returns the execution's id */
	async start(workflow: StoredWorkflow, from?: string): Promise<string> {
		const trigger = workflow.nodes.find(
			({ type, name }) =>
				type === 'n8n-nodes-base.manualTrigger' && (from === undefined || name === from),
		);
		if (!trigger) throw new Error(`The workflow "${workflow.name}" has no manual trigger.`);
		return await this.runFrom(workflow, { name: trigger.name });
	}

	/** Starts it at a trigger that has received this item, as the editor's chat does. */
	async startWith(workflow: StoredWorkflow, trigger: string, json: object): Promise<string> {
		const data = {
			startTime: Date.now(),
			executionIndex: 0,
			executionTime: 0,
			executionStatus: 'success',
			source: [null],
			data: { main: [[{ json }]] },
		};
		return await this.runFrom(workflow, { name: trigger, data });
	}

	/**
	 * Listens for a test event, as the editor does.
	 *
	 * @returns the id of the listening execution; of a webhook there is none before an event comes
	 */
	async listen(workflow: StoredWorkflow, trigger: string): Promise<string> {
		return await this.runFrom(workflow, { name: trigger });
	}

	private async runFrom(workflow: StoredWorkflow, triggerToStartFrom: object): Promise<string> {
		const { executionId } = await this.call<{ executionId: string }>(
			'POST',
			`/rest/workflows/${workflow.id}/run`,
			{ workflowData: workflow, triggerToStartFrom },
		);
		return executionId;
	}

	/**
	 * Retries a failed execution from the list of executions, and waits for it to end.
	 *
	 * @param loadWorkflow with the workflow as it is by now
	 */
	async retry(executionId: string, loadWorkflow = false): Promise<Execution> {
		await this.startRetry(executionId, loadWorkflow);
		const { workflowId } = await this.finished(executionId);
		const last = (await this.executionIds(workflowId)).at(-1) as string;
		return await this.finished(last);
	}

	/** Retries it the same way without waiting. */
	async startRetry(executionId: string, loadWorkflow = false): Promise<void> {
		await this.call('POST', `/rest/executions/${executionId}/retry`, { loadWorkflow });
	}

	/** What the editor lists under *Community nodes*. */
	async communityPackages(): Promise<object[]> {
		return await this.call('GET', '/rest/community-packages');
	}

	/** What n8n says a next version no longer runs of the workflows it has: the rule, then the workflow. */
	async notRunBy(version: string): Promise<string[]> {
		const path = '/rest/breaking-changes/report';
		interface Result {
			ruleId: string;
			affectedWorkflows: Array<{ name: string }>;
		}
		const { report } = await this.call<{ report: { workflowResults: Result[] } }>(
			'POST',
			`${path}/refresh?version=${version}`,
		);
		const rules = report.workflowResults.map(async ({ ruleId }) => {
			const { affectedWorkflows } = await this.call<Result>('GET', `${path}/${ruleId}`);
			return affectedWorkflows.map(({ name }) => `${ruleId}: ${name}`);
		});
		return (await Promise.all(rules)).flat().sort();
	}

	/**
	 * Ids of the executions of a workflow, or of all, oldest first. n8n lists running and finished ones with
	 * two queries at once: one that ends in between appears in both.
	 */
	async executionIds(workflowId?: string): Promise<string[]> {
		const ids = new Set<string>();
		const query = new URLSearchParams({ filter: JSON.stringify({ workflowId }), limit: '100' });
		for (;;) {
			const { results, nextCursor } = await this.call<{
				results: Array<{ id: string }>;
				nextCursor?: string | null;
			}>('GET', `/rest/executions?${query.toString()}`);
			for (const { id } of results) ids.add(id);
			if (!nextCursor) break;
			query.set('cursor', nextCursor);
		}
		return [...ids].sort((a, b) => Number(a) - Number(b));
	}

	/** The execution's current state, finished or not. */
	async execution(id: string): Promise<Execution> {
		return readExecution(await this.call<StoredExecution>('GET', `/rest/executions/${id}`));
	}

	/** Stops a running or sleeping execution. */
	async stop(id: string): Promise<void> {
		await this.call('POST', `/rest/executions/${id}/stop`, {});
	}

	async finished(id: string, timeout = 60_000): Promise<Execution> {
		const ended = async () => {
			const stored = await this.call<StoredExecution>('GET', `/rest/executions/${id}`);
			return !['new', 'running', 'waiting'].includes(stored.status) && stored;
		};
		return readExecution(await until(`execution ${id} to end`, ended, timeout / 1000));
	}

	/** Leaves nothing but the owner: deletes workflows with their executions, credentials, data tables. */
	async removeAll(): Promise<void> {
		type Listed = Array<{ id: string; isArchived?: boolean }>;
		const workflows = await this.call<Listed>('GET', '/rest/workflows');
		for (const { id, isArchived } of workflows) if (!isArchived) await this.archive(id);
		const filter = { status: ['new', 'running', 'waiting'] };
		await this.call('POST', '/rest/executions/stopMany', { filter });
		for (const { id } of workflows) await this.untilDeleted(id);
		for (const { id } of await this.call<Listed>('GET', '/rest/credentials')) {
			await this.call('DELETE', `/rest/credentials/${id}`);
		}
		const { data: tables } = await this.call<{ data: Array<{ id: string; projectId: string }> }>(
			'GET',
			'/rest/data-tables-global',
		);
		for (const { id, projectId } of tables) {
			await this.call('DELETE', `/rest/projects/${projectId}/data-tables/${id}`);
		}
	}

	/** Deletes an archived workflow, with its executions; n8n refuses for as long as it unpublishes it. */
	async untilDeleted(id: string): Promise<void> {
		let refused = '';
		await until(
			() => `workflow ${id} to be deleted. ${refused}`,
			async () =>
				await this.call('DELETE', `/rest/workflows/${id}`).then(
					() => true,
					({ message }: Error) => void (refused = message),
				),
		);
	}

	private async call<T>(method: string, path: string, body?: object): Promise<T> {
		const answer = await fetchAnew(this.url + path, {
			method,
			headers: {
				'content-type': 'application/json',
				'browser-id': 'registered-delivery',
				cookie: this.cookie,
			},
			body: body && JSON.stringify(body),
		});
		const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
		if (cookies.length > 0) this.cookie = cookies.join('; ');
		const text = await answer.text();
		if (!answer.ok) {
			throw new Error(`n8n answered ${answer.status} to ${method} ${path}: ${reasonIn(text)}`);
		}
		const parsed = text === '' ? {} : (JSON.parse(text) as { data?: unknown });
		return (parsed.data ?? parsed) as T;
	}
}

/**
 * Retries a GET whose connection was closed just as it was about to be reused, as happens when the
 * machine is so busy that a server's idle timeout fires first. Requests that change something are
 * sent once.
 */
async function fetchAnew(url: string, init: RequestInit): Promise<Response> {
	try {
		return await fetch(url, init);
	} catch (error) {
		if (init.method !== 'GET') throw error;
		return await fetch(url, init);
	}
}

/** The message in an answer of n8n's, without its stack trace. */
function reasonIn(text: string): string {
	try {
		return (JSON.parse(text) as { message?: string }).message ?? text;
	} catch {
		return text.slice(0, 500);
	}
}

interface StoredExecution {
	id: string;
	workflowId: string;
	status: string;
	mode: string;
	data: string;
}

interface StoredRun {
	resultData: {
		error?: { message: string; description?: string };
		/** Null in a manual run that no worker has begun. */
		runData: RunData | null;
	};
}

type RunData = Record<string, Array<{ data?: { main?: Array<OutputItem[] | null> } }>>;

function readExecution({ id, workflowId, status, mode, data }: StoredExecution): Execution {
	// An execution that has just begun has nothing stored.
	const { resultData } = (parseFlatted(data) as StoredRun | undefined) ?? {
		resultData: { runData: null },
	};
	const runData = resultData.runData ?? {};
	return {
		id,
		workflowId,
		status,
		mode,
		error: resultData.error ?? null,
		output: lastOutputs(runData),
		runs: allOutputs(runData),
		raw: data,
	};
}

function lastOutputs(runData: RunData): Record<string, OutputItem[]> {
	return Object.fromEntries(
		Object.entries(runData).map(([name, runs]) => [name, runs.at(-1)?.data?.main?.[0] ?? []]),
	);
}

function allOutputs(runData: RunData): Record<string, OutputItem[][][]> {
	return Object.fromEntries(
		Object.entries(runData).map(([name, runs]) => [
			name,
			runs.map(({ data }) => (data?.main ?? []).map((items) => items ?? [])),
		]),
	);
}
