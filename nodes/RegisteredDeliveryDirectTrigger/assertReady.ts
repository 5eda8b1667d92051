import type { IHookFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { readSelection } from '../shared/events/eventSettings';
import { readVerifier, WEBHOOK_CREDENTIAL, type WebhookCredential } from './webhookCredential';

/** Refuses to activate with an address, credential or fields that no event could get through. */
export async function assertReady(context: IHookFunctions): Promise<void> {
	readSelection(context);
	const problem = webhookUrlProblem(context.getNodeWebhookUrl('default') ?? '');
	if (problem !== null) {
		const [message, description] = problem;
		throw new NodeOperationError(context.getNode(), message, { description });
	}
	const credential = await context.getCredentials<WebhookCredential>(WEBHOOK_CREDENTIAL);
	const { faults } = readVerifier(credential);
	if (faults.length > 0) {
		throw new NodeOperationError(context.getNode(), 'The webhook credential is not complete', {
			description: `${faults.join(' ')} Correct the credential, then publish the workflow again.`,
		});
	}
}

/** n8n 2.41 calls it N8N_WEBHOOK_URL and still reads the older name. */
const WEBHOOK_URL_HINT =
	'Set the environment variable N8N_WEBHOOK_URL (WEBHOOK_URL in older versions of n8n) to the public address of n8n, such as https://n8n.example.com/, restart n8n, then publish the workflow again.';

/**
 * Whether events may come to the URL that n8n gives out: they name recipients' letters, so plain
 * http is for this machine and private networks only.
 */
function webhookUrlProblem(webhookUrl: string): [message: string, description: string] | null {
	const webhook = parse(webhookUrl);
	if (webhook === null) return ['n8n has no usable webhook URL', WEBHOOK_URL_HINT];
	if (webhook.protocol === 'https:' || isPrivate(webhook.hostname)) return null;
	return [
		`Events would travel unencrypted to ${webhook.origin}`,
		`Outside this machine and private networks, the webhook URL must start with https. ${WEBHOOK_URL_HINT}`,
	];
}

function parse(text: string): URL | null {
	const trimmed = text.trim();
	return /^https?:\/\//i.test(trimmed) && URL.canParse(trimmed) ? new URL(trimmed) : null;
}

/**
 * This machine, private addresses, and names that resolve only on a private network, such as a
 * container's. The URL parser has already normalised 127.1, 2130706433 and 0x7f.1 to 127.0.0.1; the
 * any-address also reaches this machine.
 */
function isPrivate(hostname: string): boolean {
	return (
		/^(.+\.)?localhost\.?$|^127\.\d+\.\d+\.\d+$|^0\.0\.0\.0$|^\[::1?\]$|^\[::ffff:7f/.test(
			hostname,
		) ||
		/^(10|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.\d[\d.]*$/.test(
			hostname,
		) ||
		/^\[f[cd][0-9a-f]{2}:/.test(hostname) ||
		/^[a-z0-9_-]+$|\.(local|internal|lan|intranet|home\.arpa)\.?$/.test(hostname)
	);
}
