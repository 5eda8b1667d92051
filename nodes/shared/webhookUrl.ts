import type { IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** What is wrong with n8n's own address, in n8n's two parts of an error. */
export interface UrlProblem {
	message: string;
	description: string;
}

/** n8n 2.41 calls it N8N_WEBHOOK_URL and still reads the older name. */
export const WEBHOOK_URL_HINT =
	'Set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions of n8n) to the address at which others reach n8n, such as https://n8n.example.com/, restart n8n, then activate the workflow again.';

/**
 * Whether events can come to the URL that n8n gives out, and safely: they name recipients' letters,
 * so plain http is for this machine and private networks only (design § 6 and § 7).
 *
 * @param receiverUrl null where nothing is known of who sends the events
 */
export function webhookUrlProblem(
	webhookUrl: string,
	receiverUrl: string | null,
): UrlProblem | null {
	const webhook = parse(webhookUrl);
	if (webhook === null) {
		return { message: 'n8n gives no usable webhook URL', description: WEBHOOK_URL_HINT };
	}
	const receiver = receiverUrl === null ? null : parse(receiverUrl);
	if (receiver !== null && isLoopback(webhook.hostname) && !isLoopback(receiver.hostname)) {
		return {
			message: `The webhook receiver cannot reach n8n at ${webhook.origin}, since that is n8n's own machine only`,
			description: WEBHOOK_URL_HINT,
		};
	}
	if (webhook.protocol === 'http:' && !isLoopback(webhook.hostname) && !isPrivate(webhook.hostname))
		return {
			message: `Events would travel unencrypted to ${webhook.origin}`,
			description: `Outside of this machine and private networks the webhook URL must begin with https. ${WEBHOOK_URL_HINT}`,
		};
	return null;
}

/** @throws NodeOperationError when there is a `webhookUrlProblem` */
export function assertWebhookUrl(
	context: Pick<IExecuteFunctions, 'getNode'>,
	webhookUrl: string,
	receiverUrl: string | null,
): void {
	const problem = webhookUrlProblem(webhookUrl, receiverUrl);
	if (problem === null) return;
	const { message, description } = problem;
	throw new NodeOperationError(context.getNode(), message, { description });
}

function parse(text: string): URL | null {
	const trimmed = text.trim();
	return /^https?:\/\//i.test(trimmed) && URL.canParse(trimmed) ? new URL(trimmed) : null;
}

// The URL parser has already written 127.1, 2130706433 and 0x7f.1 as 127.0.0.1. The any-address
// reaches the machine itself, too.
function isLoopback(hostname: string): boolean {
	return /^(.+\.)?localhost\.?$|^127\.\d+\.\d+\.\d+$|^0\.0\.0\.0$|^\[::1?\]$|^\[::ffff:7f/.test(
		hostname,
	);
}

/** Private addresses, and names that only a private network answers, such as a container's. */
function isPrivate(hostname: string): boolean {
	return (
		/^(10|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d[\d.]*$/.test(
			hostname,
		) ||
		/^\[f[cd][0-9a-f]{2}:/.test(hostname) ||
		/^[a-z0-9_-]+$|\.(local|internal|lan|intranet|home\.arpa)\.?$/.test(hostname)
	);
}
