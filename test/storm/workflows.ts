// The workflows of a storm, made by its seed: one that sends, waits, escalates and archives, and one
// that follows every letter.
import fc from 'fast-check';
import { ANY_EVENT, RECEIVER_ATTENTION } from '../../webhook-receiver/src/core/event-contract.ts';
import type { WorkflowFile } from '../n8n/api.ts';

type Node = WorkflowFile['nodes'][number];

const PACK = 'n8n-nodes-registered-delivery';

/** Names of nodes that the ledgers are read from. */
export const NODES = {
	letters: 'Letters',
	send: 'Send Letter',
	wait: 'Await Outcome',
	escalate: 'Escalate',
	archive: 'Archive',
	note: 'Note',
} as const;

/** Await Outcome's outputs, in order; a node behind each but Expired, which escalates. */
export const OUTPUTS = ['Accepted', 'Refused', 'Opened', 'Expired', 'Pending'] as const;

/** What the seed decides. */
export interface Shape {
	concurrency: number;
	isGrouped: boolean;
	batchSize: number;
	atOnce: number;
	/** The concurrency limit of n8n, or of each worker; -1 for none. */
	limit: number;
}

export interface Credential {
	id: string;
	name: string;
}

export interface Credentials {
	service: Credential;
	receiver: Credential;
}

export function shapeOf(seed: number): Shape {
	const shape = fc.record({
		concurrency: fc.integer({ min: 1, max: 8 }),
		isGrouped: fc.boolean(),
		batchSize: fc.integer({ min: 1, max: 20 }),
		atOnce: fc.integer({ min: 1, max: 8 }),
		limit: fc.constantFrom(5, 1, 2, -1),
	});
	const [chosen] = fc.sample(shape, { numRuns: 1, seed });
	// Two events at a time would take an n8n with workers an hour for what ten minutes bring.
	return { ...chosen, batchSize: Math.max(chosen.batchSize, Math.ceil(16 / chosen.atOnce)) };
}

/**
 * Webhook → Letters → Send Letter → Await Outcome → a note, or for what expired another letter, whose
 * evidence is archived.
 *
 * @param path of the webhook; what is posted to it has the `url` of the letters
 * @param deadline of the wait, in minutes
 */
export function mailing(
	path: string,
	deadline: number,
	{ concurrency, isGrouped }: Shape,
	{ service, receiver }: Credentials,
): WorkflowFile {
	const both = {
		credentials: { registeredDeliveryApi: service, registeredDeliveryReceiverApi: receiver },
	};
	const keyed = (key: string) => ({ sendOnceKey: key, fileReference: key, concurrency });
	const nodes = [
		node('Start', 'n8n-nodes-base.webhook', 2, START(path), { webhookId: path }),
		node(NODES.letters, 'n8n-nodes-base.httpRequest', 4.2, {
			url: '={{ $json.body.url }}',
			options: {},
		}),
		node(
			NODES.send,
			`${PACK}.sendLetter`,
			1,
			{
				...sending('={{ $json.type }}', recipient('$json', '')),
				options: { ...keyed('={{ $json.key }}'), groupRecipients: isGrouped },
			},
			{ ...both, onError: 'continueRegularOutput' },
		),
		wasSent('Was it sent?'),
		node(
			NODES.wait,
			`${PACK}.awaitOutcome`,
			1,
			{
				...{ messageId: '={{ $json.messageId }}', messageType: '={{ $json.type }}' },
				...{ deadlineMode: 'after', deadlineAmount: deadline, deadlineUnit: 'minutes' },
				options: {},
			},
			{ ...both, webhookId: `${path}-wait` },
		),
		...OUTPUTS.filter((name) => name !== 'Expired').map(note),
		node(
			NODES.escalate,
			`${PACK}.sendLetter`,
			1,
			{
				...sending('LS', recipient(`$('${NODES.letters}').item.json`, '-again')),
				options: keyed(`={{ $('${NODES.letters}').item.json.key }}-again`),
			},
			{ ...both, onError: 'continueRegularOutput' },
		),
		wasSent('Was it sent again?'),
		node(
			NODES.archive,
			`${PACK}.downloadEvidence`,
			1,
			{ operation: 'download', messageId: '={{ $json.messageId }}', eventType: 'SENT' },
			{ ...both, onError: 'continueRegularOutput' },
		),
	];
	return {
		name: 'Storm: mailing',
		nodes: placed(nodes),
		connections: {
			Start: { main: [to(NODES.letters)] },
			[NODES.letters]: { main: [to(NODES.send)] },
			[NODES.send]: { main: [to('Was it sent?')] },
			'Was it sent?': { main: [to(NODES.wait)] },
			[NODES.wait]: {
				main: OUTPUTS.map((name) => to(name === 'Expired' ? NODES.escalate : name)),
			},
			[NODES.escalate]: { main: [to('Was it sent again?')] },
			'Was it sent again?': { main: [to(NODES.archive)] },
		},
		settings: SETTINGS,
	};
}

/** Trigger → a note of each event. */
export function following(
	name: string,
	{ batchSize, atOnce }: Shape,
	{ receiver }: Credentials,
): WorkflowFile {
	const trigger = node(
		'Trigger',
		`${PACK}.registeredDeliveryTrigger`,
		1,
		{ events: [ANY_EVENT, RECEIVER_ATTENTION], simplify: false, options: { batchSize, atOnce } },
		{ credentials: { registeredDeliveryReceiverApi: receiver } },
	);
	return {
		name,
		nodes: placed([trigger, note(NODES.note)]),
		connections: { Trigger: { main: [to(NODES.note)] } },
		settings: SETTINGS,
	};
}

const SETTINGS = { executionOrder: 'v1' };

const START = (path: string) => ({
	...{ httpMethod: 'POST', path, responseMode: 'onReceived' },
	options: {},
});

const sending = (type: string, recipientsJson: string) => ({
	...{ operation: 'send', type, recipientsFrom: 'json', recipientsJson },
	body: '<p>Dear reader</p>',
});

const recipient = (of: string, end: string) =>
	`={{ [{ email: ${of}.email.replace('@', '${end}@'), firstname: 'Ada', lastname: 'Martin' }] }}`;

/** What was not sent has an error instead of an id. */
const wasSent = (name: string): Node =>
	node(name, 'n8n-nodes-base.filter', 2.2, {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
			conditions: [
				{
					...{ id: 'sent', leftValue: '={{ $json.messageId }}', rightValue: '' },
					operator: { type: 'string', operation: 'notEmpty', singleValue: true },
				},
			],
			combinator: 'and',
		},
		options: {},
		looseTypeValidation: true,
	});

const note = (name: string): Node =>
	node(name, 'n8n-nodes-base.set', 3.4, {
		assignments: { assignments: [{ id: name, name: 'by', type: 'string', value: name }] },
		includeOtherFields: true,
		options: {},
	});

const to = (target: string) => [{ node: target, type: 'main', index: 0 }];

const placed = (nodes: Node[]): Node[] =>
	nodes.map((one, index) => ({ ...one, id: `storm-${index}`, position: [index * 220, 0] }));

function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: object,
	more: object = {},
): Node {
	return { name, type, typeVersion, parameters, ...more };
}
