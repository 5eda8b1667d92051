import type { IN8nHttpFullResponse } from 'n8n-workflow';

import type { WakeUp, WakeUpResult } from '../../../webhook-receiver/src/core/pull-contract';
import {
	wakeUpAnswerSchema,
	type WakeUpBody,
} from '../../../webhook-receiver/src/wait/wait-contract';
import { forEachBounded } from '../concurrency';
import { describeNetworkFailure } from '../networkFailure';
import { plainText, shortened } from '../plainText';
import type { ReceiverContext } from '../receiver';
import { ownPort } from './ownPort';
import { waysTo, type Way } from './waysHome';

/** Each wakes an execution, which costs n8n more than the request. */
const AT_ONCE = 4;

/** n8n reads the whole execution before it answers. */
const TIMEOUT_MS = 20_000;

/** The most the receiver takes. */
const LONGEST_RESULT = 500;

/** Which of the ways led home last: an address that swallows what it gets costs half a minute. */
let favourite = 0;

/** What one way came to: `outcome` is null where the next way may do better. */
interface Answer {
	outcome: WakeUpResult['outcome'] | null;
	words: string;
}

/**
 * Brings outcomes to executions of this n8n that sleep, each by a request from n8n to itself (design
 * § 10). Only the answer of the node that sleeps counts: while n8n starts it answers everything with 200.
 * Never throws; the results hold no secret.
 */
export async function wakeAll(
	context: ReceiverContext,
	wakeUps: readonly WakeUp[],
): Promise<WakeUpResult[]> {
	const results: WakeUpResult[] = [];
	await forEachBounded([...wakeUps.entries()], AT_ONCE, async ([index, wakeUp]) => {
		results[index] = await wake(context, wakeUp);
	});
	return results;
}

async function wake(
	context: ReceiverContext,
	{ resumeUrl, secret, resume }: WakeUp,
): Promise<WakeUpResult> {
	const { waitId } = resume;
	const tried: string[] = [];
	for (const [index, way] of inOrder(waysTo(resumeUrl, ownPort()))) {
		const { outcome, words } = await take(context, way, { ...resume, secret });
		tried.push(`by ${way.name}: ${words}`);
		if (outcome === null) continue;
		favourite = index;
		return { waitId, outcome, result: toldAs(tried) };
	}
	return { waitId, outcome: 'failed', result: toldAs(tried) };
}

function inOrder(ways: readonly Way[]): Array<[number, Way]> {
	return [...ways.entries()].sort(([a], [b]) => Number(b === favourite) - Number(a === favourite));
}

async function take(
	context: ReceiverContext,
	{ url, servername }: Way,
	body: WakeUpBody,
): Promise<Answer> {
	try {
		const answer = (await context.helpers.httpRequest({
			...{ method: 'POST', url, body, json: true, timeout: TIMEOUT_MS },
			...{ disableFollowRedirect: true, ignoreHttpStatusErrors: true, returnFullResponse: true },
			...(servername !== undefined && { agentOptions: { servername } }),
		})) as IN8nHttpFullResponse;
		return read(answer, new URL(url).search);
	} catch (error) {
		// The error itself holds the request with the secret.
		const { code } = describeNetworkFailure(error);
		return { outcome: null, words: `no answer${code === null ? '' : ` (${code})`}` };
	}
}

function read({ statusCode, body }: IN8nHttpFullResponse, query: string): Answer {
	const own = wakeUpAnswerSchema.safeParse(body);
	if (!own.success) return { outcome: null, words: `answered ${statusCode}${said(body, query)}` };
	const { wakeUp } = own.data;
	if (wakeUp === 'refused') {
		return {
			outcome: 'failed',
			words: 'the node refused, since the secret is not that of its wait',
		};
	}
	return { outcome: wakeUp, words: wakeUp };
}

/** What an answer says that is not the node's: n8n's own words, or those of whatever stands before it. */
function said(body: unknown, query: string): string {
	const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown };
	const text = [message, error, body].find((one) => typeof one === 'string');
	const words = plainText(String(text ?? ''));
	// A page may repeat the address, and with it n8n's token.
	if (words === '' || (query !== '' && words.includes(query))) return '';
	return `, "${shortened(words, 100)}"`;
}

function toldAs(tried: readonly string[]): string {
	return tried.join('; then ').slice(0, LONGEST_RESULT);
}
