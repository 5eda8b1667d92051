// The storm's promises, held to four ledgers. Pure: made ledgers showed that it notices each breach.
import type { OutputItem } from '../n8n/api.ts';
import type { StoredExecution } from '../n8n/executions.ts';
import { stepOf } from '../../webhook-receiver/src/core/event-kinds.ts';
import { RECEIVER_ATTENTION } from '../../webhook-receiver/src/core/event-contract.ts';
import type { DeliveryEvent } from '../../webhook-receiver/src/core/event-contract.ts';
import type { Letter as BookedLetter } from '../../webhook-receiver/src/core/letter-contract.ts';
import { countBy, eachOnce, repeated } from '../real-n8n/each-once.ts';
import type { Letter } from './story.ts';
import { NODES, OUTPUTS } from './workflows.ts';

/** A letter as the service has it. */
export interface ServedLetter {
	id: string;
	type: string;
	fileReference: string | null;
	/** Of which it was sent. */
	account: string;
	email: string;
	/** Its Customer Reference. */
	person: string | null;
	/** Statuses it went through, oldest first. */
	statuses: string[];
}

/** A letter as the receiver has it. */
export interface LetterRecord {
	/** In the order in which they happened. */
	changes: Array<{ eventId: string | null; type: string | null; hasWebhook: boolean }>;
}

/** A time in which a receiver's clock was off. */
export interface Jump {
	/** Milliseconds; behind if negative. */
	ahead: number;
	from: number;
	until: number;
}

/** A time in which the receivers allowed no more letters than that: how many had gone out by its end. */
export interface Limited {
	most: number;
	gone: number;
}

/** What the four say, and what was asked of them. */
export interface Ledgers {
	/** What was to be sent. */
	letters: readonly Letter[];
	/** Milliseconds from the beginning of an execution to the deadline of its wait. */
	deadline: number;
	jumps: readonly Jump[];
	/** Marks of bodies that were posted to the receiver and got a 200. */
	acceptedBodies: ReadonlySet<string>;
	/** Letters that the receiver was made to forget, by id. */
	erased: ReadonlySet<string>;
	/** All of whose letters it was made to forget, by Customer Reference. */
	erasedPeople: ReadonlySet<string>;
	limits: readonly Limited[];
	/** Events that an operator had handed out again, and so out of order, by sequence. */
	handedOutAgain: ReadonlySet<number>;
	/** The sandbox's. */
	served: readonly ServedLetter[];
	/** The receiver's, by the id of the letter. */
	records: ReadonlyMap<string, LetterRecord>;
	/** Its book of letters, and what it counts there. */
	book: readonly BookedLetter[];
	summary: { outcomes: Record<string, number> };
	/** All that it has stored, by where. */
	store: ReadonlyMap<string, string>;
	/** The receiver's log, in its order. */
	events: readonly DeliveryEvent[];
	/** n8n's executions with the workflows' own outputs. */
	mailings: readonly StoredExecution[];
	/** Of workflows that follow all events, by name. */
	followers: ReadonlyMap<string, Follower>;
	/** Texts in which no secret may be, by where they are. */
	traces: ReadonlyMap<string, string>;
	secrets: readonly string[];
}

export interface Follower {
	/** It was published before the first letter; otherwise events from its first one on count. */
	isFromTheStart: boolean;
	executions: readonly StoredExecution[];
}

/** What is wrong, by promise. */
export type Findings = Record<string, string[]>;

/** What a node said of one key. */
interface Said {
	execution: StoredExecution;
	key: string;
	/** Of the node, in which it said so. */
	run: number;
	/** `used`: not by this execution, but somebody sent a letter under the key. */
	verdict: 'sent' | 'not sent' | 'unknown' | 'used';
	messageId: string | null;
}

/** The promises that were broken; empty if none was. */
export function findings(ledgers: Ledgers): Findings {
	const all: Findings = {
		'letters sent twice': sentTwice(ledgers),
		...verdicts(ledgers),
		...outcomes(ledgers),
		...changes(ledgers),
		...records(ledgers),
		...book(ledgers),
		...bodies(ledgers),
		...follows(ledgers),
		'executions that never ended': neverEnded(ledgers),
		'letters beyond the limit': ledgers.limits.flatMap(({ most, gone }) =>
			gone > most ? [`${gone}, and ${most} were allowed`] : [],
		),
		'secrets shown': [...ledgers.traces, ...ledgers.store].flatMap(([where, text]) =>
			ledgers.secrets.some((secret) => text.includes(secret)) ? [where] : [],
		),
	};
	return Object.fromEntries(Object.entries(all).filter(([, found]) => found.length > 0));
}

/**
 * A mailing that is "new" for good was lost by n8n, killed between storing and starting it: no node has
 * run. An event lost like that would be gone.
 */
function neverEnded({ mailings, followers }: Ledgers): string[] {
	const isOpen = ({ status }: StoredExecution) => ['running', 'waiting'].includes(status);
	const following = [...followers.values()].flatMap(({ executions }) => executions);
	return [
		...mailings.filter(isOpen),
		...following.filter((one) => isOpen(one) || one.status === 'new'),
	].map(({ id, mode, status }) => `execution ${id} (${mode}) is ${status}`);
}

function sentTwice({ served }: Ledgers): string[] {
	return repeated(countBy(served.map(({ fileReference }) => String(fileReference))));
}

/** Each input item has one verdict, and what it says is so. */
function verdicts({ letters, served, mailings, erased, erasedPeople }: Ledgers): Findings {
	const complaints: string[] = [];
	const keyBy = new Map(letters.map(({ reference, key }) => [reference, key]));
	const keyOf = (reference: unknown) => keyBy.get(String(reference)) ?? String(reference);
	const keyById = new Map(served.map(({ id, fileReference }) => [id, keyOf(fileReference)]));
	const said = mailings.flatMap((execution) => [
		...saidBy(execution, NODES.send, keyOfItem, complaints),
		...saidBy(
			execution,
			NODES.escalate,
			({ messageId }) => `${keyById.get(String(messageId))}-again`,
			complaints,
		),
	]);
	const byKey = Map.groupBy(said, ({ key }) => key);
	const idsOf = Map.groupBy(served, ({ fileReference }) => keyOf(fileReference));
	// Nobody insists on those of people who were erased, also where n8n was killed with all that it had of them.
	const wanted = letters.filter(({ person }) => !erasedPeople.has(person));
	const isUnsaid = mailings.some(({ status }) => ['crashed', 'canceled'].includes(status));
	return {
		'items without exactly one verdict': complaints,
		'letters without a verdict': wanted.flatMap(({ key }) => (byKey.has(key) ? [] : [key])),
		'letters that were never sent': wanted.flatMap(({ key }) => (idsOf.has(key) ? [] : [key])),
		'verdicts that are false': said.flatMap((one) => {
			const ids = (idsOf.get(one.key) ?? []).map(({ id }) => id);
			const where = `execution ${one.execution.id}, ${one.key}`;
			if (one.verdict !== 'sent' || ids.includes(String(one.messageId))) return [];
			return [`${where}: sent as ${one.messageId}, but the service has ${ids.join() || 'none'}`];
		}),
		'letters that were tried again when their outcome was unknown': said.flatMap((one) => {
			const isAfter = (other: Said) =>
				other.execution === one.execution && other.key === one.key && other.run > one.run;
			const isTriedAgain = said.some((other) => isAfter(other) && other.verdict !== 'unknown');
			if (one.verdict !== 'unknown' || !isTriedAgain) return [];
			return [`execution ${one.execution.id}, ${one.key}`];
		}),
		// "Not sent" may be said before another execution sends: but somebody has to own up to the letter,
		// or tell of who does when n8n was killed with what that one said.
		'letters that nobody owns up to': [...idsOf].flatMap(([key, sent]) => {
			const all = byKey.get(key) ?? [];
			if (all.some(({ verdict }) => verdict !== 'not sent')) return [];
			if (all.length === 0 && isUnsaid) return [];
			// Its claim was erased with it, all but that there was one.
			if (sent.some(({ id }) => erased.has(id))) return [];
			return [`${key}: ${sent.map(({ id }) => id).join()}`];
		}),
	};
}

export const keyOfItem = ({ key }: OutputItem['json']) => String(key);

/** @param complaints gets what the node did not say exactly once */
export function saidBy(
	execution: StoredExecution,
	node: string,
	keyOf: (json: OutputItem['json']) => string,
	complaints: string[] = [],
): Said[] {
	return (execution.runs[node] ?? []).flatMap(({ input, outputs }, run) => {
		// It was ended before it had said anything.
		if (outputs.length === 0) return [];
		const keys = input.map(({ json }) => keyOf(json));
		const items = outputs.flat();
		const paired = items.map(({ pairedItem }) => pairedTo(pairedItem));
		for (const [at, key] of keys.entries()) {
			const count = paired.filter((item) => item === at).length;
			if (count !== 1 && execution.status !== 'canceled' && execution.status !== 'crashed')
				complaints.push(`execution ${execution.id}, ${node}, ${key}: ${count} verdicts`);
		}
		return items.flatMap(({ json }, at) => {
			const key = keys[paired[at] ?? -1];
			if (key === undefined) return [];
			const messageId = typeof json.messageId === 'string' ? json.messageId : null;
			const verdict = messageId === null ? refusalOf(String(json.error)) : 'sent';
			return [{ execution, run, key, verdict, messageId }];
		});
	});
}

function refusalOf(error: string): Said['verdict'] {
	if (error.startsWith('Outcome unknown')) return 'unknown';
	return error.startsWith('This key was used for a letter') ? 'used' : 'not sent';
}

function pairedTo(paired: unknown): number | null {
	const one: unknown = Array.isArray(paired) ? paired[0] : paired;
	if (typeof one === 'number') return one;
	return (one as { item?: number } | undefined)?.item ?? null;
}

/** Which statuses let a letter leave by an output of Await Outcome. */
const TRUE_BY: Record<(typeof OUTPUTS)[number], readonly string[]> = {
	Accepted: ['ACCEPTED'],
	Refused: ['REFUSED'],
	Opened: ['OPENED', 'RECEIVED'],
	Expired: ['EXPIRED', 'UNDELIVERED', 'FAILED'],
	Pending: [],
};

/** Each letter that was waited for leaves once, by an output that is true. */
function outcomes({ served, mailings, deadline, jumps, erased }: Ledgers): Findings {
	const byId = new Map(served.map((letter) => [letter.id, letter]));
	const untrue: string[] = [];
	const lost: string[] = [];
	const mailingById = new Map(mailings.map((execution) => [execution.id, execution]));
	/** One that was started again may have kept what its wait had said before. */
	const beginning = ({ retryOf, startedAt }: StoredExecution): number | null => {
		const first = retryOf === null ? undefined : mailingById.get(retryOf);
		if (first === undefined) return startedAt;
		// Of one that was stopped asleep, n8n's retry does not wait any more.
		const isStoppedAsleep = first.status === 'canceled' && NODES.wait in first.runs;
		return isStoppedAsleep ? null : beginning(first);
	};
	for (const execution of mailings) {
		if (execution.status !== 'success') continue;
		const { stoppedAt } = execution;
		const isPending = isPast(beginning(execution), stoppedAt, deadline, jumps);
		for (const { input, outputs } of execution.runs[NODES.wait] ?? []) {
			const left = countBy(outputs.flat().map(idOf));
			for (const id of input.map(idOf))
				if (left.get(id) !== 1)
					lost.push(`execution ${execution.id}, ${id}: ${left.get(id) ?? 0} times`);
			for (const [at, items] of outputs.entries()) {
				const name = OUTPUTS[at];
				for (const id of items.map(idOf)) {
					const statuses = byId.get(id)?.statuses ?? [];
					const isTrue =
						name === 'Pending'
							? isPending || erased.has(id)
							: TRUE_BY[name].some((status) => statuses.includes(status));
					if (!isTrue)
						untrue.push(`execution ${execution.id}, ${id}: ${name}, but it was ${statuses.join()}`);
				}
			}
		}
	}
	return { 'letters that left Await Outcome not once': lost, 'outcomes that are false': untrue };
}

const idOf = ({ json }: OutputItem) => String(json.messageId);

/** n8n's clock has milliseconds, the receiver's deadline began a little later. */
function isPast(
	startedAt: number | null,
	stoppedAt: number | null,
	deadline: number,
	jumps: readonly Jump[],
): boolean {
	if (startedAt === null || stoppedAt === null) return true;
	const meanwhile = jumps.filter(({ from, until }) => from <= stoppedAt && until >= startedAt);
	const ahead = meanwhile.reduce((sum, jump) => sum + Math.max(0, jump.ahead), 0);
	return stoppedAt + ahead - startedAt >= deadline;
}

function changes(ledgers: Ledgers): Findings {
	const { served, events, erased } = ledgers;
	const known = new Set(served.map(({ id }) => id));
	const ofLetters = events.filter(
		(event) => event.type !== RECEIVER_ATTENTION && marksIn(event).length === 0,
	);
	const told = new Set(ofLetters.map(({ messageId, type }) => `${messageId} ${type}`));
	return {
		'changes that are in the log several times': toldTwice(ofLetters),
		'events of letters that the service does not have': ofLetters
			.filter(({ messageId }) => messageId === null || !known.has(messageId))
			.map(({ id, messageId, type }) => `${id}: ${type} of ${messageId}`),
		'events of letters that were erased': ofLetters
			.filter(({ messageId }) => erased.has(String(messageId)))
			.map(({ id, messageId, type }) => `${id}: ${type} of ${messageId}`),
		'changes that nobody was told of': changesToTell(ledgers).filter((name) => !told.has(name)),
	};
}

/**
 * What a receiver must know in the end: all webhooks of tracked mail, and how any other letter stands, which
 * has none, but is watched from when it was sent.
 */
export function changesToTell({ served, erased }: Pick<Ledgers, 'served' | 'erased'>): string[] {
	return served.flatMap((letter) => {
		if (erased.has(letter.id)) return [];
		const names = [...new Set(namesOf(letter))];
		if (letter.type === 'AES') return names;
		return isPolled(letter) ? names.slice(-1) : [];
	});
}

/** With the credentials of one account. */
const isPolled = ({ account }: ServedLetter) => account === 'direct';

/** A mailbox that bounces may recover, and one that took the mail may bounce: of each the last is true. */
function undoes(one: string, other: string): boolean {
	const isBounce = (step: string) => step === 'UNDELIVERED';
	const isDelivery = (step: string) => step === 'RECEIVED' || step === 'OPENED';
	return (isBounce(one) && isDelivery(other)) || (isDelivery(one) && isBounce(other));
}

/**
 * A change may be told again after one that undoes it: then a poll saw it before the webhooks of both
 * came, and the log ends with how the letter stands (rule STAT-05).
 */
function toldTwice(events: readonly DeliveryEvent[]): string[] {
	return [...Map.groupBy(events, ({ messageId }) => messageId)].flatMap(([id, all]) =>
		all.flatMap((event, at) => {
			const before = all.findLastIndex(({ type }, other) => other < at && type === event.type);
			const between = all.slice(before + 1, at).map((other) => stepOf(other) ?? '');
			const isUndone = between.some((step) => undoes(step, stepOf(event) ?? ''));
			return before === -1 || isUndone ? [] : [`${id} ${event.type}`];
		}),
	);
}

/** Of the events of what happened to a letter. */
function namesOf({ id, type, statuses }: ServedLetter): string[] {
	const subject = type === 'AES' ? 'tracked_mail' : 'letter';
	return statuses.map((status) => `${id} ${subject}.${status.toLowerCase()}`);
}

/** What the receiver knows of a letter is what happened to it, and what its log tells. */
function records({ served, records: known, events, erased }: Ledgers): Findings {
	const idsOf = Map.groupBy(events, ({ messageId }) => messageId);
	const toKnow = new Set(changesToTell({ served, erased }));
	const untrue: string[] = [];
	const unlike: string[] = [];
	for (const letter of served) {
		const { id } = letter;
		const changes = known.get(id)?.changes ?? [];
		// The sandbox's history may have SENT again, for something else that happened; a letter is sent once.
		const story = erased.has(id)
			? []
			: namesOf(letter).filter(
					(name, at, all) => !name.endsWith('.sent') || all.indexOf(name) === at,
				);
		const names = changes.filter(isNotToldAnew).map(({ type }) => `${id} ${type}`);
		// A letter without webhooks is known as far as it was polled.
		const expected = story.filter((name) => toKnow.has(name) || names.includes(name));
		if (names.join() !== expected.join())
			untrue.push(`${names.join(', ') || 'nothing'}, but it was ${story.join(', ')}`);
		const told = (idsOf.get(id) ?? []).flatMap((event) => (stepOf(event) ? [event.id] : []));
		const recorded = changes.flatMap(({ eventId }) => eventId ?? []);
		if (told.toSorted().join() !== recorded.toSorted().join())
			unlike.push(`${id}: ${recorded.join()}, but the log has ${told.join()}`);
	}
	return {
		'records that are not what happened': untrue,
		'records that the log does not tell of': unlike,
	};
}

/**
 * A delivery that a poll saw before the webhook of a bounce came is told anew after it, since it may
 * be another (rule STAT-05).
 */
function isNotToldAnew(
	{ type, hasWebhook }: LetterRecord['changes'][number],
	at: number,
	all: LetterRecord['changes'],
): boolean {
	const bounce = all.findIndex((one, place) => place > at && one.type?.endsWith('.undelivered'));
	const isToldAgain = bounce !== -1 && all.slice(bounce).some((one) => one.type === type);
	return hasWebhook || !isToldAgain;
}

/** Each letter is in the book once, as it stands at the service, and nothing else is; it counts what it lists. */
function book({ served, book: all, summary, store, erased, erasedPeople }: Ledgers): Findings {
	const known = new Map(served.map((letter) => [letter.id, letter]));
	const counts = countBy(all.flatMap(({ messageId }) => messageId ?? []));
	const outcomes = countBy(all.map(({ outcome }) => outcome));
	const counted = new Map(Object.entries(summary.outcomes));
	return {
		'letters that are not in the book once': served.flatMap(({ id }) => {
			const count = counts.get(id) ?? 0;
			return count === (erased.has(id) ? 0 : 1) ? [] : [`${id}: ${count} times`];
		}),
		'letters of the book that the service does not have': all.flatMap((one) =>
			known.has(one.messageId ?? '') ? [] : [`${one.messageId}, ${one.claim}: ${one.outcome}`],
		),
		'letters that the book has otherwise': all.flatMap((one) => {
			const letter = known.get(one.messageId ?? '');
			if (letter === undefined) return [];
			// What its claim told may have been erased before it was known by its first webhook.
			const isForgotten = one.recipient === null && erasedPeople.has(letter.person ?? '');
			const told = [one.status, one.outcome, one.type, isForgotten ? letter.email : one.recipient];
			const references = [one.fileReference, one.customerReference];
			const said = JSON.stringify([...told, ...references]);
			const is = JSON.stringify(entryOf(letter, one.status));
			return said === is ? [] : [`${letter.id}: ${said}, but it is ${is}`];
		}),
		'counts of the book that its list does not have': [
			...new Set([...counted.keys(), ...outcomes.keys()]),
		].flatMap((outcome) => {
			const [told, listed] = [counted.get(outcome) ?? 0, outcomes.get(outcome) ?? 0];
			return told === listed ? [] : [`${outcome}: ${told}, but ${listed} are listed`];
		}),
		'people who were erased and are still named': stillNamed({ served, erased, store }),
	};
}

/** Addresses of erased letters that the receivers have stored, and where. */
export function stillNamed({
	served,
	erased,
	store,
}: Pick<Ledgers, 'served' | 'erased' | 'store'>): string[] {
	const gone = new Set(served.flatMap(({ id, email }) => (erased.has(id) ? [keyIn(email)] : [])));
	return [...store].flatMap(([where, text]) => {
		const named = new Set(text.match(ADDRESSES)?.map(keyIn));
		return [...named].flatMap((key) => (gone.has(key) ? [`${key} in ${where}`] : []));
	});
}

const ADDRESSES = /\+w\d+-\d+(?:-again)?@/g;
const keyIn = (address: string) => address.split(/[+@]/)[1];

/** Outcomes of the book by the status that ends them; of any other the letter is open. */
const OUTCOMES: Record<string, string> = {
	ACCEPTED: 'accepted',
	REFUSED: 'refused',
	OPENED: 'opened',
	EXPIRED: 'expired',
	UNDELIVERED: 'undelivered',
	FAILED: 'failed',
};

/** What the book should have of a letter: one that is not polled may stand where it ever stood, as far as the book knows. */
function entryOf(letter: ServedLetter, told: string | null) {
	const { type, email, fileReference, person, statuses } = letter;
	const isBehind = type !== 'AES' && !isPolled(letter);
	const mayBe = isBehind && (told === null || statuses.includes(told));
	const status = mayBe ? told : (statuses.at(-1) ?? null);
	const isReceived = status === 'RECEIVED' && type !== 'AES';
	const outcome = isReceived ? 'received' : (OUTCOMES[status ?? ''] ?? 'open');
	return [status, outcome, type, email, fileReference, person];
}

const MARK = /(?:signed|forged)-[\da-f-]+!/g;

/** What a body that nobody of the service wrote is found by. */
export const markOf = (isSigned: boolean, id: string) => `${isSigned ? 'signed' : 'forged'}-${id}!`;

const marksIn = ({ messageId, raw }: DeliveryEvent): string[] =>
	messageId === null ? (JSON.stringify(raw ?? null).match(MARK) ?? []) : [];

/** Of a body that was accepted something is in the log, and of one without a signature nothing. */
function bodies({ events, acceptedBodies }: Ledgers): Findings {
	const marks = new Set(events.flatMap(marksIn));
	return {
		'bodies that were accepted and are not in the log': [...acceptedBodies].filter(
			(mark) => !marks.has(mark),
		),
		'bodies without a signature that are in the log': [...marks].filter((mark) =>
			mark.startsWith('forged'),
		),
	};
}

function follows({ events, followers, erased, handedOutAgain }: Ledgers): Findings {
	const inOrder = events.filter(({ sequence }) => !handedOutAgain.has(sequence));
	const isKnown = ({ json }: OutputItem) => !erased.has(String(json.messageId));
	return Object.fromEntries(
		[...followers].flatMap(([name, { isFromTheStart, executions: all }]) => {
			const executions = all.map((one) => ({ ...one, started: one.started.filter(isKnown) }));
			const seen = seenBy(executions, events);
			const first = isFromTheStart ? 0 : seen.first;
			const wanted = events.filter(
				({ sequence, messageId, type }) =>
					// What needs a person may come first of all or last, when no n8n asks for it.
					sequence >= (type === RECEIVER_ATTENTION ? seen.first : first) &&
					(type !== RECEIVER_ATTENTION || sequence <= seen.last) &&
					!erased.has(String(messageId)),
			);
			const found = eachOnce(inOrder, wanted, executions);
			return Object.entries(found).map(([what, those]) => [`${name}: ${what}`, those]);
		}),
	);
}

/** The sequences of the first and the last event that started an execution. */
function seenBy(
	executions: readonly StoredExecution[],
	events: readonly DeliveryEvent[],
): { first: number; last: number } {
	const seen = new Set(executions.flatMap(({ started }) => started.map(({ json }) => json.id)));
	const sequences = events.flatMap(({ id, sequence }) => (seen.has(id) ? [sequence] : []));
	return { first: Math.min(Infinity, ...sequences), last: Math.max(0, ...sequences) };
}
