import { type IN8nHttpFullResponse, sleep } from 'n8n-workflow';

import type { WakeUp } from '../../../webhook-receiver/src/core/pull-contract';
import {
	wakeUpAnswerSchema,
	type WakeUpBody,
} from '../../../webhook-receiver/src/core/wait-contract';
import { departureOf, isOfProxy, statusIn } from '../transport/departure';
import { describeNetworkFailure } from '../transport/networkFailure';
import { plainText, shortened } from '../fields/plainText';
import type { NodeContext } from '../transport/context';
import { acceptedBefore } from './acceptOnce';
import { pauseAfter } from './outage';
import { ownAddresses, type OwnAddress } from './ownAddresses';

/** How long to wait at an address where nothing shows that the node got the wake-up. */
const SILENCE_MS = 20_000;

/** `ack` also for an execution that no longer waited for this: the reason says so. */
interface Woken {
	outcome: 'ack' | 'nak';
	reason: string;
	/** Not made at some address, until somebody changes n8n's environment. */
	isHeldBack?: boolean;
}

/**
 * Posts until it is known what became of it. What this process has accepted is not posted again, however
 * the answer was lost. Never throws; the result holds no secret.
 */
export async function postWakeUp(context: NodeContext, wakeUp: Omit<WakeUp, 'id'>): Promise<Woken> {
	const { waitId } = wakeUp.resume;
	for (let failures = 1; ; failures++) {
		if (acceptedBefore(waitId) === null) {
			const { outcome, ...told } = await postToFirst(context, wakeUp);
			// What this process has accepted meanwhile was not refused, whatever came back.
			const isCertain = outcome !== 'nak' || acceptedBefore(waitId) === null;
			if (outcome !== 'open' && isCertain) return { outcome, ...told };
		}
		if (acceptedBefore(waitId) === 'resumed') {
			return { outcome: 'ack', reason: 'resumed by an earlier request' };
		}
		await sleep(pauseAfter(failures, Math.random()));
	}
}

/** The receiver's limit. */
const LONGEST_REASON = 500;

/** Index of the address to begin with: one that drops requests costs all of `SILENCE_MS`. */
let first = 0;

/** Posts to one address after the other, until one is the node's. */
async function postToFirst(
	context: NodeContext,
	{ resumeUrl, secret, resume }: Omit<WakeUp, 'id'>,
): Promise<Omit<Woken, 'outcome'> & { outcome: Woken['outcome'] | 'open' }> {
	const addresses = [...ownAddresses(resumeUrl).entries()];
	const attempts: Array<{ names: string[]; detail: string }> = [];
	let isHeldBack = false;
	const note = (name: string, detail: string) => {
		const last = attempts.at(-1);
		if (last?.detail === detail) last.names.push(name);
		else attempts.push({ names: [name], detail });
	};
	const summary = () =>
		attempts
			.map(({ names, detail }) => `by ${names.join(' and ')}: ${detail}`)
			.join('; then ')
			.slice(0, LONGEST_REASON);
	for (const [index, address] of [...addresses.slice(first), ...addresses.slice(0, first)]) {
		const problem = await problemOf(context, address);
		if (problem !== null) {
			note(address.name, problem.detail);
			isHeldBack ||= problem.isHeldBack;
			continue;
		}
		const { outcome, detail } = await post(context, address, { ...resume, secret });
		note(address.name, detail);
		if (outcome === 'unreached') continue;
		const isLost = outcome === 'lost';
		first = isLost ? (index + 1) % addresses.length : index;
		return { outcome: isLost ? 'nak' : outcome, reason: summary() };
	}
	return { outcome: 'nak', reason: summary(), isHeldBack };
}

/**
 * Origins that this process reaches by itself. A wake-up holds a secret, so each is tried without one first: n8n sends
 * what goes to itself through a forward proxy, too, where its environment names one.
 */
const direct = new Set<string>();

/** Why an address does not get a wake-up, or null. */
async function problemOf(
	context: NodeContext,
	{ url, servername }: OwnAddress,
): Promise<{ detail: string; isHeldBack: boolean } | null> {
	const { origin, hostname } = new URL(url);
	if (direct.has(origin)) return null;
	try {
		const answer = (await context.helpers.httpRequest({
			method: 'POST',
			// n8n has nothing there, and says so.
			url: `${origin}/webhook-waiting`,
			timeout: SILENCE_MS,
			disableFollowRedirect: true,
			returnFullResponse: true,
			...(servername !== undefined && { agentOptions: { servername } }),
		})) as IN8nHttpFullResponse;
		const detail = `answered ${answer.statusCode}${excerptOf(answer.body, '')}`;
		return { detail, isHeldBack: false };
	} catch (error) {
		const status = statusIn(error);
		if (status === null) return { detail: reasonOf(error), isHeldBack: false };
		if (isOfProxy(error, url)) {
			const detail = `n8n's forward proxy is in between (HTTP status ${status}) and must not get the secret: start n8n with ${hostname} in NO_PROXY`;
			return { detail, isHeldBack: true };
		}
		direct.add(origin);
		return null;
	}
}

/** Why there was no answer. n8n's own refusals have no code, only words. */
function reasonOf(error: unknown): string {
	const { code, message } = describeNetworkFailure(error);
	return `no answer (${code ?? message})`;
}

/** How long once the node has it: as long as n8n does. The request helper needs some limit. */
const LONGEST_HELD_MS = 24 * 3_600_000;

/** What came of a request to one address. */
interface Answer {
	/**
	 * The node's own, or what follows from the lack of one. `unreached`: it surely did not get the
	 * wake-up. `lost`: it may have it.
	 */
	outcome: Woken['outcome'] | 'open' | 'unreached' | 'lost';
	detail: string;
}

async function post(
	context: NodeContext,
	{ url, servername }: OwnAddress,
	body: WakeUpBody,
): Promise<Answer> {
	const silence = new AbortController();
	const answered = new AbortController();
	const giveUp = () => {
		if (acceptedBefore(body.waitId) !== 'open') silence.abort();
	};
	void sleep(SILENCE_MS, answered.signal).then(giveUp, () => undefined);
	try {
		const answer = (await context.helpers.httpRequest({
			method: 'POST',
			url,
			body,
			json: true,
			timeout: LONGEST_HELD_MS,
			abortSignal: silence.signal,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			...(servername !== undefined && { agentOptions: { servername } }),
		})) as IN8nHttpFullResponse;
		return readWakeUpAnswer(answer, new URL(url).search);
	} catch (error) {
		// The error itself holds the request with the secret.
		const { code } = describeNetworkFailure(error);
		const isOut = url.startsWith('https:') ? departureOf(error).hasLeft : !neverConnected(code);
		return { outcome: isOut ? 'lost' : 'unreached', detail: reasonOf(error) };
	} finally {
		answered.abort();
	}
}

/** Whether there was no connection at all. */
function neverConnected(code: string | null): boolean {
	return code !== null && /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(code);
}

/** Statuses of n8n's own failures, and of a proxy that answers although n8n still holds the request. */
function mayStillBeHeld(status: number): boolean {
	return status >= 500 || status === 408 || status === 499;
}

function readWakeUpAnswer({ statusCode, body }: IN8nHttpFullResponse, query: string): Answer {
	const own = wakeUpAnswerSchema.safeParse(body);
	if (!own.success) {
		const detail = `answered ${statusCode}${excerptOf(body, query)}`;
		return { outcome: mayStillBeHeld(statusCode) ? 'lost' : 'unreached', detail };
	}
	const { wakeUp } = own.data;
	if (wakeUp === 'refused') {
		return {
			outcome: 'nak',
			detail: 'the node refused, since the secret is not that of its wait',
		};
	}
	return { outcome: wakeUp === 'open' ? 'open' : 'ack', detail: wakeUp };
}

/** The text of an answer that is not the node's: from n8n itself, or from a proxy in front. */
function excerptOf(body: unknown, query: string): string {
	const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown };
	const text = [message, error, body].find((one) => typeof one === 'string');
	const excerpt = plainText(String(text ?? ''));
	// It may echo the address, including n8n's token.
	if (excerpt === '' || (query !== '' && excerpt.includes(query))) return '';
	return `, "${shortened(excerpt, 100)}"`;
}
