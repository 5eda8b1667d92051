// A raw service for generated worlds: it carries out what it is told to, answers what it is told to, and
// keeps a ledger of whom it wrote to. Whoever is right about a letter is right by this ledger.
import { startStubService, type StubAnswer, type StubRequest } from '../../support/stub-service.ts';
import { BEFORE, REFUSALS, RENEWED, type Use } from './world.ts';

/** What a request meets, once its handshake is done. */
export type Step =
	| { kind: 'right' }
	/** Carried out or not, and answered by something else than the interface promises. */
	| { kind: 'answer'; isDone: boolean; answer: StubAnswer }
	/** Carried out, and answered with the first id for all. */
	| { kind: 'oneId' }
	/** Carried out, and answered once `release` is called. */
	| { kind: 'held' }
	/** Carried out, and the answer cut at this part of it. */
	| { kind: 'cutAnswer'; part: number; rst: boolean }
	/** Cut once so many bytes of the request's body are read: never carried out. */
	| { kind: 'cutRequest'; bytes: number }
	/** Refused before the body was read. */
	| { kind: 'early'; status: number };

export interface Plan {
	/** By connection; what is beyond the list works. */
	handshakes: boolean[];
	/** By request; what is beyond the list is right. */
	steps: Step[];
	/** Entries that the service refuses whenever they come. */
	refused: string[];
	/** Whether it says whom it refuses. */
	namesThem: boolean;
}

/** What the service did for someone. */
export interface Held {
	id: string;
	/** How many it had done before. */
	after: number;
	/** By which account, and as what; see `markOf` of worlds. */
	mark: string;
}

export interface Service {
	credential: object & { baseUrl: string };
	/** What it did, by whom it did it for: an address, the letter that is sent again, a consent. */
	ledger: Map<string, Held[]>;
	/** How much that is. */
	done: number;
	/** Whom it was asked for by requests that came in whole, and with which mark: `entry mark`. */
	asked: Set<string>;
	/** Requests that came in. */
	requests: number;
	/** Whether any of them got something else than a clear yes or no. */
	wasUnclear: boolean;
	/** Whether any of them did not come in whole. */
	wasCut: boolean;
	/** Called when a request came in. */
	onRequest: () => void;
	begin(plan: Plan): void;
	/** Answers what is held. */
	release: () => void;
	close(): Promise<void>;
}

/** As it is before its first request. */
const unasked = () => ({
	ledger: new Map<string, Held[]>(),
	asked: new Set<string>(),
	done: 0,
	requests: 0,
	wasUnclear: false,
	wasCut: false,
	onRequest: () => {},
});

export async function startService(): Promise<Service> {
	const stub = await startStubService();
	let plan: Plan;
	let ids = 0;
	let released = Promise.withResolvers<void>();
	const steps = new WeakMap<object, Step>();
	const stepOf = ({ headers }: { headers: object }): Step => {
		const known = steps.get(headers);
		if (known) return known;
		const step = plan.steps[service.requests++] ?? { kind: 'right' };
		steps.set(headers, step);
		service.wasUnclear ||= isUnclear(step);
		service.wasCut ||= step.kind === 'cutRequest' || step.kind === 'early';
		service.onRequest();
		return step;
	};
	const carryOut = (request: StubRequest): StubAnswer => {
		const entries = entriesOf(request);
		const mark = markIn(request);
		const given = entries.map((entry) => {
			const id = String(++ids).padStart(12, '0');
			const held = { id, mark, after: service.done++ };
			service.ledger.set(entry, [...(service.ledger.get(entry) ?? []), held]);
			return id;
		});
		const { kind } = stepOf(request);
		const told = given.map((id) => (kind === 'oneId' ? given[0] : id));
		return { status: 201, ...answerTo(request, entries, told) };
	};

	stub.handshake = (connection) =>
		plan.handshakes[connection - 1] === false ? 'cutInHandshake' : 'ok';
	stub.earlyAnswer = (head) => {
		const step = stepOf(head);
		if (step.kind !== 'early') return undefined;
		return { status: step.status, body: { message: 'Too much' }, rst: true };
	};
	stub.readBytes = (head) => {
		const step = stepOf(head);
		return step.kind === 'cutRequest' ? step.bytes : undefined;
	};
	stub.answer = async (request) => {
		const step = stepOf(request);
		for (const entry of entriesOf(request)) service.asked.add(`${entry} ${markIn(request)}`);
		const refused = entriesOf(request).filter((entry) => plan.refused.includes(entry));
		if (step.kind === 'answer') {
			if (step.isDone && refused.length === 0) carryOut(request);
			return step.answer;
		}
		if (refused.length > 0) return refusal(request, plan.namesThem ? refused : []);
		const answer = carryOut(request);
		if (step.kind === 'held') await released.promise;
		if (step.kind !== 'cutAnswer') return answer;
		const length = 150 + JSON.stringify(answer.body).length;
		return { ...answer, cutAt: Math.floor(length * step.part), rst: step.rst };
	};

	const service: Service = {
		credential: { ...stub.credential, baseUrl: stub.url },
		...unasked(),
		begin(next) {
			plan = next;
			released = Promise.withResolvers();
			stub.requests = [];
			stub.connections = 0;
			Object.assign(service, unasked());
		},
		release: () => released.resolve(),
		close: () => stub.close(),
	};
	return service;
}

function isUnclear(step: Step): boolean {
	if (step.kind !== 'answer') return step.kind !== 'right';
	const { status = 200 } = step.answer;
	return !REFUSALS.includes(step.answer) && !BEFORE.includes(status);
}

/** Host and account that a request came to, and the customer and type of its letters. */
function markIn({ path, headers, body }: StubRequest): string {
	const host = headers.host?.split(':')[0];
	const account = String(headers['x-api-token']).replace(RENEWED, '');
	if (path !== '/messages/bulk_send') return `${host} ${account}`;
	const { sender, type } = JSON.parse(body) as Pick<Use, 'sender' | 'type'>;
	return `${host} ${account} ${sender ?? ''} ${type}`;
}

/** Whom a request is about. */
function entriesOf({ path, body }: StubRequest): string[] {
	const alone = /^\/(?:messages|consents)\/([^/]+)\/(?:resend|remind)$/.exec(path);
	if (alone) return [alone[1]];
	if (path === '/messages/resend') return body.match(/\b\d{12}\b/g) ?? [];
	const { recipients, customers } = JSON.parse(body) as Record<string, Array<{ email: string }>>;
	return (recipients ?? customers).map(({ email }) => email);
}

function answerTo({ path }: StubRequest, entries: string[], ids: string[]): StubAnswer {
	if (path === '/messages/resend') return { body: ids };
	if (path.endsWith('/resend')) return { body: ids[0] };
	if (path.endsWith('/remind')) return { status: 200, body: { message: 'Reminded', id: ids[0] } };
	const created = entries.map((email, at) => ({ id: ids[at], email }));
	if (path === '/customers/bulk_store') return { body: { customers: created } };
	if (path === '/consents/bulkStore') return { body: created };
	const messages = ids.map((id) => ({ id }));
	return { body: { body: '<p>As stored</p>', type: 'LS', messages } };
}

function refusal({ path }: StubRequest, named: string[]): StubAnswer {
	const message = 'Refused';
	if (path === '/messages/resend') {
		return { status: 404, body: { message, code: 'message-not-found' } };
	}
	const problems = named.map((email) => ({ email, message: 'Bad' }));
	if (path === '/consents/bulkStore') {
		const code = 'consent-bad-recipients';
		return { status: 422, body: { message, code, invalidRecipients: problems } };
	}
	return { status: 422, body: { message, code: 'message-bad-contacts', data: problems } };
}
