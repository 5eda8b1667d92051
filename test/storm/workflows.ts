// The workflows of a storm, made by its seed: those that send, wait, escalate and archive, one that has
// such a one as its sub-workflow, and one that follows every letter.
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
	/** The receivers go by the service's clock, as in a rehearsal. */
	isRehearsal: boolean;
}

export interface Credential {
	id: string;
	name: string;
}

export function shapeOf(seed: number): Shape {
	const shape = fc.record({
		concurrency: fc.integer({ min: 1, max: 8 }),
		isGrouped: fc.boolean(),
		batchSize: fc.integer({ min: 1, max: 20 }),
		atOnce: fc.integer({ min: 1, max: 8 }),
		limit: fc.constantFrom(5, 1, 2, -1),
		isRehearsal: fc.boolean(),
	});
	const [chosen] = fc.sample(shape, { numRuns: 1, seed });
	// Two events at a time would take an n8n with workers an hour for what ten minutes bring.
	return { ...chosen, batchSize: Math.max(chosen.batchSize, Math.ceil(16 / chosen.atOnce)) };
}

export interface Mailing {
	/** Of the webhook; what is posted to it has the `url` of the letters. */
	path: string;
	/** Of the wait, in minutes. */
	deadline: number;
	/** Letters that failed come back to Send Letter, twice; otherwise they go on with the others. */
	isWiredBack: boolean;
}

/**
 * Webhook → Letters → Send Letter → Await Outcome → a note, or for what expired another letter, whose
 * evidence is archived.
 */
export function mailing(
	{ path, deadline, isWiredBack }: Mailing,
	{ concurrency, isGrouped }: Shape,
	credential: Credential,
): WorkflowFile {
	const both = { credentials: { registeredDeliveryApi: credential } };
	const again = `={{ $('${NODES.letters}').item.json.key }}-again`;
	const nodes = [
		start(path),
		node('Called', 'n8n-nodes-base.executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
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
				options: {
					sendOnceKey: '={{ $json.spelling }}',
					fileReference: '={{ $json.reference }}',
					customerReference: '={{ $json.person }}',
					groupRecipients: isGrouped,
					concurrency,
				},
			},
			{ ...both, onError: isWiredBack ? 'continueErrorOutput' : 'continueRegularOutput' },
		),
		onlyIf('Once more?', '={{ $runIndex }}', { type: 'number', operation: 'lt' }, 2),
		onlyIf('Was it sent?', MESSAGE_ID, NOT_EMPTY),
		node(
			NODES.wait,
			`${PACK}.awaitOutcome`,
			1,
			{
				messageId: '={{ $json.messageId }}',
				messageType: '={{ $json.type }}',
				deadlineMode: 'after',
				deadlineAmount: deadline,
				deadlineUnit: 'minutes',
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
				options: { sendOnceKey: again, fileReference: again, concurrency },
			},
			{ ...both, onError: 'continueRegularOutput' },
		),
		onlyIf('Was it sent again?', MESSAGE_ID, NOT_EMPTY),
		node(
			NODES.archive,
			`${PACK}.downloadEvidence`,
			1,
			{ operation: 'download', messageId: '={{ $json.messageId }}', eventType: 'SENT' },
			{ ...both, onError: 'continueRegularOutput' },
		),
	];
	return {
		name: `Storm: ${path}`,
		nodes: placed(nodes),
		connections: {
			Start: { main: [to(NODES.letters)] },
			Called: { main: [to(NODES.letters)] },
			[NODES.letters]: { main: [to(NODES.send)] },
			[NODES.send]: { main: [to('Was it sent?'), to('Once more?')] },
			'Once more?': { main: [to(NODES.send)] },
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

/** Webhook → a mailing, by its id, as a sub-workflow. */
export function caller(path: string, id: string): WorkflowFile {
	const call = node('Call', 'n8n-nodes-base.executeWorkflow', 1.2, {
		workflowId: { __rl: true, mode: 'id', value: id },
		options: { waitForSubWorkflow: true },
	});
	return {
		name: `Storm: ${path}`,
		nodes: placed([start(path), call]),
		connections: { Start: { main: [to('Call')] } },
		settings: SETTINGS,
	};
}

/** Trigger → a note of each event. */
export function following(
	name: string,
	{ batchSize, atOnce }: Shape,
	credential: Credential,
): WorkflowFile {
	const trigger = node(
		'Trigger',
		`${PACK}.registeredDeliveryTrigger`,
		1,
		{
			events: [ANY_EVENT, RECEIVER_ATTENTION],
			simplify: false,
			options: { batchSize, maxConcurrentExecutions: atOnce },
		},
		{ credentials: { registeredDeliveryApi: credential } },
	);
	return {
		name,
		nodes: placed([trigger, note(NODES.note)]),
		connections: { Trigger: { main: [to(NODES.note)] } },
		settings: SETTINGS,
	};
}

const SETTINGS = { executionOrder: 'v1' };

const start = (path: string): Node =>
	node(
		'Start',
		'n8n-nodes-base.webhook',
		2,
		{ httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
		{ webhookId: path },
	);

const sending = (type: string, recipientsJson: string) => ({
	operation: 'send',
	type,
	recipientsFrom: 'json',
	recipientsJson,
	body: '<p>Dear reader</p>',
});

const recipient = (of: string, end: string) =>
	`={{ [{ email: ${of}.email.replace('@', '${end}@'), firstname: ${of}.firstname, lastname: 'Martin' }] }}`;

/** What was not sent has an error instead of it. */
const MESSAGE_ID = '={{ $json.messageId }}';
const NOT_EMPTY = { type: 'string', operation: 'notEmpty', singleValue: true };

const onlyIf = (
	name: string,
	leftValue: string,
	operator: object,
	rightValue: string | number = '',
): Node =>
	node(name, 'n8n-nodes-base.filter', 2.2, {
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'loose', version: 2 },
			conditions: [{ id: name, leftValue, rightValue, operator }],
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
