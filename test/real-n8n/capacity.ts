// n8n's capacity, all of it taken on purpose, and workflows that tell when they go on.
import type { ServerResponse } from 'node:http';

import { until } from '../n8n/poll.ts';
import type { Stack } from '../n8n/stack.ts';
import { serve } from '../support/http-server.ts';
import {
	AWAIT,
	awaitOutcome,
	BEHIND,
	letters,
	publishAwaiting,
	to,
	type PublishedAwaiting,
} from './awaiting.ts';
import { node, webhook } from './workflows.ts';

/** Where workflows report, and where they are held until they are released. */
export interface Desk {
	url: string;
	/** What was reported, in order. */
	reports: string[];
	held: Set<ServerResponse>;
	release(): void;
	close(): Promise<void>;
}

export async function startDesk(): Promise<Desk> {
	const reports: string[] = [];
	const held = new Set<ServerResponse>();
	const { url, close } = await serve((request, response) => {
		const path = request.url?.slice(1) ?? '';
		if (path.startsWith('report/')) reports.push(path.slice('report/'.length));
		if (path !== 'hold') return response.end('{}');
		held.add(response);
		response.once('close', () => held.delete(response));
	});
	const release = () => {
		for (const one of held) one.end('{}');
	};
	return { url, reports, held, release, close };
}

const postTo = (name: string, url: string) =>
	node(name, 'n8n-nodes-base.httpRequest', 4.2, { method: 'POST', url, options: {} });

/** A node that reports its execution's id. */
export const report = (desk: Desk, name: string) =>
	postTo(name, `=${desk.url}/report/{{ $execution.id }}`);

/** Takes all capacity until it is released. @returns does so again */
export async function takeCapacity(
	stack: Stack,
	desk: Desk,
	limit: number,
): Promise<() => Promise<void>> {
	const path = crypto.randomUUID();
	const workflow = await stack.api.saveWorkflow({
		name: 'Hold',
		nodes: [webhook(path), { ...postTo('Hold', `${desk.url}/hold`), position: [200, 0] }],
		connections: { Start: { main: [to('Hold')] } },
		settings: { executionOrder: 'v1' },
	});
	await stack.api.activate(workflow.id);
	const address = `${stack.n8n.url}/webhook/${path}`;
	const begin = async () => {
		const answer = await fetch(address, { method: 'POST' });
		// While it starts, n8n answers everything with 200.
		return (await answer.text()).includes('Workflow was started');
	};
	const fill = async () => {
		for (let n = 0; n < limit; n++) await until('it to start', begin);
		await until('all capacity to be taken', async () => desk.held.size === limit);
	};
	await fill();
	return fill;
}

const SECOND = 'Second';

/** Await Outcome → Mid, which reports → Second → a node behind each of its outputs. */
export async function publishTwoWaits(
	stack: Stack,
	desk: Desk,
	name: string,
): Promise<PublishedAwaiting> {
	const { credentials } = stack;
	const second = awaitOutcome({ messageId: "={{ $('Items').item.json.then }}" }, { name: SECOND });
	return await publishAwaiting(stack, name, awaitOutcome(), (nodes, connections) => {
		nodes.push({ ...report(desk, 'Mid'), position: [500, 200] });
		nodes.push({ ...second, position: [700, 200], credentials });
		connections[AWAIT] = { main: BEHIND.map(() => to('Mid')) };
		connections.Mid = { main: [to(SECOND)] };
		connections[SECOND] = { main: BEHIND.map((target) => to(target)) };
	});
}

/** That many letters, and one more for each, to be awaited `then`. */
export const pairs = (count: number) =>
	Array.from({ length: count }, () => {
		const [first, then] = letters('first', 'then');
		return { ...first, then: then.messageId };
	});
