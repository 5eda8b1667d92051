// Runs a world, and says what the node's outputs claim.
import type { INodeType } from 'n8n-workflow';

import { ManageCustomer } from '../../../nodes/ManageCustomer/ManageCustomer.node.ts';
import { RequestConsent } from '../../../nodes/RequestConsent/RequestConsent.node.ts';
import { SendLetter } from '../../../nodes/SendLetter/SendLetter.node.ts';
import {
	runNode,
	type Credentials,
	type InputItem,
	type RunOptions,
	type RunResult,
} from '../../support/n8n-core.ts';
import type { Service } from './service.ts';
import { nameOf, planOf, type Operation, type World } from './world.ts';

/** What an output says of an entry; `id` of one that is said to be sent. */
export interface Claimed {
	verdict: 'sent' | 'not sent' | 'unknown';
	id: string | null;
}

/** What one execution claims, by entry; what it failed with, where it put nothing out. */
export type Claims = Map<string, Claimed[]> | { failed: string };

/** @returns what each execution that was not stopped claims in the end */
export async function runWorld(
	world: World,
	service: Service,
	receiver: object,
): Promise<Claims[]> {
	service.begin(planOf(world));
	const options = optionsOf(world, service, receiver);
	const { count, atOnce } = world.keys === 'none' ? { count: 0, atOnce: false } : world.again;
	const first = async () => await execute(world, service, options, world.stopAt);
	const further = Array.from({ length: count }, () => async () => {
		return await execute(world, service, options, null);
	});
	const claims: Claims[] = [];
	if (atOnce) {
		claims.push(...(await Promise.all([first, ...further].map(async (run) => await run()))));
	} else {
		for (const run of [first, ...further]) claims.push(await run());
	}
	// A stopped execution has ended for n8n before its node has.
	await Promise.allSettled(options.underWay);
	return claims;
}

/** The node, with a list of its runs that go on. */
function followed(node: INodeType) {
	const underWay: Array<Promise<unknown>> = [];
	const execute = node.execute as NonNullable<INodeType['execute']>;
	node.execute = async function () {
		const run = execute.call(this);
		underWay.push(run);
		return await run;
	};
	return { node, underWay };
}

async function execute(
	world: World,
	service: Service,
	{ node, options }: { node: INodeType; options: RunOptions },
	stopAt: number | null,
): Promise<Claims> {
	let isStopped = false;
	const onStart = (stop: () => void) => {
		service.onRequest = () => {
			if (stopAt === null || service.requests < stopAt) return;
			isStopped = true;
			stop();
		};
	};
	let result = await runNode(node, { ...options, onStart });
	if (isStopped) return { failed: 'stopped' };
	for (let count = 0; count < world.retriesFromList && result.error; count++) {
		result = await runNode(node, { ...options, retryOf: result.run });
	}
	return claimsOf(world, result);
}

function optionsOf(world: World, { credential }: Service, receiver: object) {
	const { operation, items, settings, keys } = world;
	const input: InputItem[] = items.map((entries, item) => ({
		json: {
			names: Array.from({ length: entries }, (_, at) => nameOf(world, item, at)),
			key: `world ${world.number} item ${item}`,
		},
	}));
	const credentials: Credentials = {
		registeredDeliveryApi: credential,
		...(keys === 'receiver' && { registeredDeliveryReceiverApi: receiver }),
	};
	const options: RunOptions = {
		parameters: parametersOf(operation, settings, keys) as RunOptions['parameters'],
		credentials,
		items: input,
		retryOnFail: settings.retries,
		onError: settings.continues ? 'continueRegularOutput' : 'stopWorkflow',
	};
	return { ...followed(NODES[operation]()), options };
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
	'={{ $json.names.map((email) => ({ email, firstname: "A", lastname: "B" + BUT })) }}';

/** What the node is asked in a world; its items have `names` and a `key`. */
export function parametersOf(
	operation: Operation,
	{ isolates, groups, concurrency, isVolatile }: World['settings'],
	keys: World['keys'],
): object {
	const now = isVolatile ? ' {{ $now.toMillis() }} {{ Math.random() }}' : '';
	const recipientsJson = RECIPIENTS.replace('BUT', isVolatile ? 'Math.random()' : '1');
	const isolation = isolates ? { isolateBadEntries: true } : {};
	switch (operation) {
		case 'send':
			return {
				...{ operation, type: 'LS', body: `=<p>Dear reader${now}</p>` },
				...{ recipientsFrom: 'json', recipientsJson },
				options: {
					...isolation,
					...(groups && { groupRecipients: true }),
					...{ concurrency, customerReference: `=C${now}` },
					...(isVolatile && { scheduledAt: '={{ $now.plus({ days: 1 }) }}' }),
					...(keys !== 'none' && { sendOnceKey: '={{ $json.key }}' }),
				},
			};
		case 'resend':
			return { operation, messageIds: '={{ $json.names }}', options: isolation };
		case 'resendTo':
			return {
				...{ operation, messageId: '={{ $json.names[0] }}', sendTo: 'newContact' },
				...{ recipientsFrom: 'json' },
				recipientsJson: `={{ { email: "new@x.example", firstname: "A", lastname: "B" + ${isVolatile ? '$now.toMillis()' : '1'} } }}`,
			};
		case 'customers':
			return {
				...{ operation: 'create', name: `=Name${now}`, email: '={{ $json.names[0] }}' },
				options: isolation,
			};
		case 'consents':
			return {
				...{ operation: 'create', recipientsFrom: 'json', recipientsJson },
				options: isolation,
			};
		case 'remind':
			return { operation, consentId: '={{ $json.names[0] }}' };
	}
}

/** Entries that an operation makes of an item, however many names the item has. */
export function entriesOf(world: World, item: number): string[] {
	const { operation, items } = world;
	const isSingle = ['resendTo', 'customers', 'remind'].includes(operation);
	const count = isSingle ? Math.min(1, items[item]) : items[item];
	return Array.from({ length: count }, (_, at) => nameOf(world, item, at));
}

function claimsOf(world: World, { items, error }: RunResult): Claims {
	if (error !== undefined) return { failed: error.message };
	const claims = new Map<string, Claimed[]>();
	const add = (entry: string, claimed: Claimed) =>
		claims.set(entry, [...(claims.get(entry) ?? []), claimed]);
	for (const { json, pairedItem } of items) {
		const all = entriesOf(world, (pairedItem as { item: number }).item);
		const { error: failed, details } = json as { error?: string; details?: Record<string, string> };
		if (failed !== undefined) {
			const verdict = failed.startsWith('Outcome unknown') ? 'unknown' : 'not sent';
			const own =
				details?.resentFrom ?? (world.operation === 'consents' ? details?.email : undefined);
			for (const entry of own === undefined ? all : [own]) add(entry, { verdict, id: null });
			continue;
		}
		for (const [entry, id] of sentBy(world.operation, json, all))
			add(entry, { verdict: 'sent', id });
	}
	return claims;
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
