import type { IN8nHttpFullResponse } from 'n8n-workflow';

import type { WakeUp, WakeUpResult } from '../../../webhook-receiver/src/core/pull-contract';
import {
	wakeUpAnswerSchema,
	type WakeUpBody,
} from '../../../webhook-receiver/src/core/wait-contract';
import { forEachBounded } from '../items/concurrency';
import { describeNetworkFailure } from '../transport/networkFailure';
import { plainText, shortened } from '../transport/plainText';
import type { ReceiverContext } from '../transport/receiver';
import { Unconfirmed } from './inFlight';
import { ownAddresses, ownPort, type OwnAddress } from './ownAddresses';

/** Each wakes an execution, which costs n8n more than the request. */
const AT_ONCE = 4;

/** n8n reads the whole execution before it answers. */
const TIMEOUT_MS = 20_000;

/** The receiver's limit. */
const LONGEST_RESULT = 500;

/** Index of the address that worked last: one that drops requests costs half a minute. */
let lastWorking = 0;

/** The result at one address: `outcome` is null if the next one may do better. */
interface Answer {
	outcome: WakeUpResult['outcome'] | null;
	detail: string;
}

/**
 * Delivers outcomes to this n8n's sleeping executions, each in a request from n8n to itself (design
 * § 10). Only the sleeping node's own answer counts: n8n answers everything with 200 while it
 * starts.
 */
export class WakeUps {
	private readonly underWay = new Set<string>();
	private readonly results = new Unconfirmed<WakeUpResult>();

	get hasNews(): boolean {
		return this.results.size > 0;
	}

	/** Wakes those not already being woken. */
	async take(context: ReceiverContext, wakeUps: readonly WakeUp[]): Promise<void> {
		const fresh = wakeUps.filter(({ resume }) => !this.underWay.has(resume.waitId));
		for (const { resume } of fresh) this.underWay.add(resume.waitId);
		await forEachBounded(fresh, AT_ONCE, async (wakeUp) => {
			const result = await wake(context, wakeUp);
			this.underWay.delete(result.waitId);
			this.results.set(result.waitId, result);
		});
	}

	/** The results for the next pull to report. */
	report(): WakeUpResult[] {
		return [...this.results.values()];
	}

	/** The receiver has answered a pull that carried this report. */
	confirm(report: readonly WakeUpResult[]): void {
		this.results.confirm(report);
	}
}

/** Never throws; the result holds no secret. */
async function wake(
	context: ReceiverContext,
	{ resumeUrl, secret, resume }: WakeUp,
): Promise<WakeUpResult> {
	const { waitId } = resume;
	const attempts: string[] = [];
	const summary = () => attempts.join('; then ').slice(0, LONGEST_RESULT);
	for (const [index, address] of inOrder(ownAddresses(resumeUrl, ownPort()))) {
		const { outcome, detail } = await post(context, address, { ...resume, secret });
		attempts.push(`by ${address.name}: ${detail}`);
		if (outcome === null) continue;
		lastWorking = index;
		return { waitId, outcome, result: summary() };
	}
	return { waitId, outcome: 'failed', result: summary() };
}

function inOrder(addresses: readonly OwnAddress[]): Array<[number, OwnAddress]> {
	const all = [...addresses.entries()];
	return all.sort(([a], [b]) => Number(b === lastWorking) - Number(a === lastWorking));
}

async function post(
	context: ReceiverContext,
	{ url, servername }: OwnAddress,
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
		return { outcome: null, detail: `no answer${code === null ? '' : ` (${code})`}` };
	}
}

function read({ statusCode, body }: IN8nHttpFullResponse, query: string): Answer {
	const own = wakeUpAnswerSchema.safeParse(body);
	if (!own.success)
		return { outcome: null, detail: `answered ${statusCode}${quoted(body, query)}` };
	const { wakeUp } = own.data;
	if (wakeUp === 'refused') {
		return {
			outcome: 'failed',
			detail: 'the node refused, since the secret is not that of its wait',
		};
	}
	return { outcome: wakeUp, detail: wakeUp };
}

/** The text of an answer that is not the node's: from n8n itself, or from a proxy in front. */
function quoted(body: unknown, query: string): string {
	const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown };
	const text = [message, error, body].find((one) => typeof one === 'string');
	const excerpt = plainText(String(text ?? ''));
	// A page may echo the address, including n8n's token.
	if (excerpt === '' || (query !== '' && excerpt.includes(query))) return '';
	return `, "${shortened(excerpt, 100)}"`;
}
