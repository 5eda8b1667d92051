// Runs a world, and says what its executions tell.
import type { INodeExecutionData, INodeType, IRun } from 'n8n-workflow';

import { ManageCustomer } from '../../../nodes/ManageCustomer/ManageCustomer.node.ts';
import { RequestConsent } from '../../../nodes/RequestConsent/RequestConsent.node.ts';
import { SendLetter } from '../../../nodes/SendLetter/SendLetter.node.ts';
import { keyGiven } from '../../support/characters.ts';
import type { KeyReceiver } from '../../support/key-receiver.ts';
import { asBegun, runNode, type RunOptions, type RunResult } from '../../support/n8n-core.ts';
import { followed } from '../nodes.ts';
import type { Service } from './service.ts';
import {
	ACCOUNTS,
	keyOf,
	letterOf,
	nameOf,
	planOf,
	RENEWED,
	USUAL,
	type Act,
	type Operation,
	type Use,
	type World,
} from './world.ts';

/** What an output says of an entry. */
export interface Claimed {
	/** Of the workflow's input. */
	item: number;
	entry: string;
	verdict: 'sent' | 'not sent' | 'unknown';
	/** Of one that is said to be sent. */
	id: string | null;
	/** Of one that is not. */
	words: string;
}

/** What an execution tells. */
export interface Told {
	/** Which of the new executions it goes back to. */
	tree: number;
	/** Its place in the story. */
	chapter: number;
	use: Use;
	isRetry: boolean;
	isRenewed: boolean;
	spelling: number;
	isPasted: boolean;
	/** How much the service had done when it began. */
	since: number;
	/** How it ended, but for `success`: then it tells of some items only. */
	failed: string | null;
	/** By run of the node: its input, and what it says of it. */
	rounds: Array<{ input: number[]; claims: Claimed[] }>;
}

/** An execution in n8n's list. */
interface Listed {
	told: Told;
	/** What n8n's Retry starts from; null where it has not failed. */
	saved: IRun | null;
}

/** @returns what each execution tells */
export async function runWorld(
	world: World,
	service: Service,
	receiver: KeyReceiver,
): Promise<Told[]> {
	service.begin(planOf(world));
	receiver.begin(world.fates);
	const stage = { world, service, receiver, ...followed(NODES[world.operation]()) };
	const list: Listed[] = [];
	let trees = 0;
	for (const [chapter, { isLater, acts }] of world.story.entries()) {
		if (isLater) {
			// A stopped execution has ended for n8n before its node has.
			await Promise.allSettled(stage.runs);
			receiver.passLeases();
		}
		const failed = list.filter(({ saved }) => saved !== null);
		const runs = acts.map(async (act) => {
			if (act.retries === null) return await execute(stage, { ...act, chapter }, null, trees++);
			const original = failed[act.retries % failed.length];
			return original && (await execute(stage, { ...act, chapter }, original, original.told.tree));
		});
		list.push(...(await Promise.all(runs)).filter((one) => one !== undefined));
	}
	await Promise.allSettled(stage.runs);
	return list.map(({ told }) => told);
}

interface Stage {
	world: World;
	service: Service;
	receiver: KeyReceiver;
	node: INodeType;
	runs: Array<Promise<unknown>>;
}

async function execute(
	stage: Stage,
	act: Act & { chapter: number },
	original: Listed | null,
	tree: number,
): Promise<Listed> {
	const { world, service, node } = stage;
	const use = original?.told.use ?? act.use;
	const { isRenewed, spelling, isPasted, stopAt, chapter } = act;
	const told: Told = {
		tree,
		chapter,
		use,
		isRenewed,
		spelling,
		isPasted,
		isRetry: original !== null,
		since: service.done,
		failed: null,
		rounds: [],
	};
	let isStopped = false;
	const onStart = (stop: () => void) => {
		const { onRequest, requests } = service;
		service.onRequest = () => {
			onRequest();
			if (stopAt === null || service.requests < requests + stopAt || isStopped) return;
			isStopped = true;
			stop();
		};
	};
	const options = { ...optionsOf(stage, told), onStart };
	const result = await runNode(node, { ...options, retryOf: original?.saved ?? undefined });
	if (isStopped) return { told: { ...told, failed: 'stopped' }, saved: asBegun(result.run) };
	told.failed = result.error?.message ?? null;
	told.rounds = roundsOf(world, told, result);
	return { told, saved: result.error ? result.run : null };
}

function optionsOf({ world, service, receiver }: Stage, told: Told): RunOptions {
	const { operation, items, settings, keys } = world;
	const { use, isRenewed, spelling, isPasted } = told;
	const { id, token, host } = ACCOUNTS[use.account];
	return {
		parameters: parametersOf(operation, settings, keys, use) as RunOptions['parameters'],
		credentials: {
			registeredDeliveryApi: {
				...service.credential,
				baseUrl: service.credential.baseUrl.replace('localhost', host),
				apiToken: token + (isRenewed ? RENEWED : ''),
				...(keys === 'receiver' && receiver.credential),
			},
		},
		credentialIds: { registeredDeliveryApi: id },
		items: items.map((_, item) => ({
			json: {
				names: namesOf(world, told, item),
				firstname: world.firstname,
				key: keyIn(world, item, spelling),
			},
		})),
		// A key that n8n keeps holds within one node.
		...(isPasted && keys !== 'n8n' && { nodeId: 'pasted' }),
		retryOnFail: settings.retries,
		onError: settings.onError,
		rounds: settings.rounds,
		restores: settings.restores,
	};
}

function keyIn(world: World, item: number, spelling: number): string | number {
	const owner = keyOf(world, item);
	return keyGiven(world.items[owner].key, world.number * 10 + owner, spelling);
}

function namesOf(world: World, { use, tree }: Told, item: number): string[] {
	const letter = letterOf(world, item);
	const variant = world.keys === 'none' ? tree : use.people;
	return Array.from({ length: world.items[letter].entries }, (_, at) =>
		nameOf(world, variant, letter, at),
	);
}

export const NODES: Record<Operation, () => INodeType> = {
	send: () => new SendLetter(),
	resend: () => new SendLetter(),
	resendTo: () => new SendLetter(),
	customers: () => new ManageCustomer(),
	consents: () => new RequestConsent(),
	remind: () => new RequestConsent(),
};

const RECIPIENTS =
	'={{ $json.names.map((email) => ({ email, firstname: $json.firstname ?? "A", lastname: "B" + BUT })) }}';

/** What the node is asked in a world; its items have `names` and a `key`. */
export function parametersOf(
	operation: Operation,
	{ groups, concurrency, isVolatile }: Omit<World['settings'], 'onError' | 'rounds' | 'restores'>,
	keys: World['keys'],
	{ sender, type }: Use = USUAL,
): object {
	const now = isVolatile ? ' {{ $now.toMillis() }} {{ Math.random() }}' : '';
	// Under a key, other people make another letter.
	const isOther = isVolatile && keys === 'none';
	const recipientsJson = RECIPIENTS.replace('BUT', isOther ? 'Math.random()' : '1');
	switch (operation) {
		case 'send':
			return {
				operation,
				type,
				body: `=<p>Dear reader${now}</p>`,
				recipientsFrom: 'json',
				recipientsJson,
				options: {
					...(sender !== null && { sender: { mode: 'id', value: sender } }),
					...(groups && { groupRecipients: true }),
					concurrency,
					customerReference: `=C${now}`,
					...(isVolatile && { scheduledAt: '={{ $now.plus({ days: 1 }) }}' }),
					...(keys !== 'none' && { sendOnceKey: '={{ $json.key }}' }),
				},
			};
		case 'resend':
			return { operation, messageIds: '={{ $json.names }}', options: {} };
		case 'resendTo':
			return {
				operation,
				messageId: '={{ $json.names[0] }}',
				sendTo: 'newContact',
				recipientsFrom: 'json',
				recipientsJson: `={{ { email: "new@x.example", firstname: "A", lastname: "B" + ${isVolatile ? '$now.toMillis()' : '1'} } }}`,
			};
		case 'customers':
			return {
				operation: 'create',
				name: `=Name${now}`,
				email: '={{ $json.names[0] }}',
			};
		case 'consents':
			return {
				operation: 'create',
				recipientsFrom: 'json',
				recipientsJson,
				options: {},
			};
		case 'remind':
			return { operation, consentId: '={{ $json.names[0] }}' };
	}
}

/**
 * Entries that an operation makes of an item, however many names the item has; one that is named after
 * the item where it makes none.
 */
export function entriesOf(world: World, told: Told, item: number): string[] {
	const names = namesOf(world, told, item);
	const isSingle = ['resendTo', 'customers', 'remind'].includes(world.operation);
	return names.length === 0 ? [`item ${item}`] : names.slice(0, isSingle ? 1 : undefined);
}

function roundsOf(world: World, told: Told, { error, run }: RunResult): Told['rounds'] {
	const all = world.items.map((_, item) => item);
	if (error) {
		const words = `${error.message}\n${error.description}`;
		const [, row] = /rows? (\d+)(?: of \d+:| ended the run|[,\]])/i.exec(words) ?? [];
		const item = all.length === 1 ? 0 : Number(row) - 1;
		const claims = item >= 0 ? failedAs(error.message, item, entriesOf(world, told, item)) : [];
		return [{ input: all, claims }];
	}
	let input = all;
	return (run.data.resultData.runData['Under Test'] ?? []).map(({ data }) => {
		const [first, failed] = (data?.main ?? []).map((items) => items ?? []);
		const claims = [...first, ...(failed ?? [])].flatMap((one) =>
			claimsOf(world, told, one, input[itemOf(one)]),
		);
		const round = { input, claims };
		input = (failed ?? []).map((one) => round.input[itemOf(one)]);
		return round;
	});
}

const itemOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

function claimsOf(world: World, told: Told, { json }: INodeExecutionData, item: number): Claimed[] {
	const all = entriesOf(world, told, item);
	const { error, details } = json as { error?: string; details?: Record<string, string> };
	if (error === undefined) {
		return sentBy(world.operation, json, all).map(([entry, id]) => ({
			item,
			entry,
			id,
			verdict: 'sent',
			words: '',
		}));
	}
	const own = details?.resentFrom ?? (world.operation === 'consents' ? details?.email : undefined);
	return failedAs(error, item, own === undefined ? all : [own]);
}

function failedAs(words: string, item: number, entries: string[]): Claimed[] {
	const verdict = words.startsWith('Outcome unknown') ? 'unknown' : 'not sent';
	return entries.map((entry) => ({ item, entry, verdict, id: null, words }));
}

function sentBy(operation: Operation, json: object, all: string[]): Array<[string, string]> {
	const { messages, messageId, resentFrom, id, email, consentId } = json as Record<
		string,
		string
	> & {
		messages?: Array<{ id: string; email: string }>;
	};
	switch (operation) {
		case 'send':
			return (messages ?? []).map((one) => [one.email, one.id]);
		case 'resend':
		case 'resendTo':
			return [[resentFrom, messageId]];
		case 'remind':
			return [[consentId, id]];
		default:
			return all.includes(email) ? [[email, id]] : [];
	}
}
