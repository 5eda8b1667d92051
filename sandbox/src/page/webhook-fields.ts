import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { field } from './copyable.ts';
import { html, type Html } from '../html/html.ts';

type Signing = NonNullable<WebhookEndpoint['signing']>;

/** Credential settings for each way of signing, where they differ from the defaults. */
const IN_N8N: Partial<
	Record<Signing, { scheme: string; secret: string; more?: Array<[string, string]> }>
> = {
	timestamped: { scheme: 'HMAC Signature', secret: 'Secret' },
	body: {
		scheme: 'HMAC Signature',
		secret: 'Secret',
		more: [
			['Signature Header', 'X-Hub-Signature-256'],
			['Signed Content', '{body}'],
		],
	},
	standard: { scheme: 'Standard Webhooks', secret: 'Secret' },
	'shared-secret': { scheme: 'Shared Secret Header', secret: 'Secret' },
	basic: { scheme: 'Basic Authentication', secret: 'User' },
};

/** What a webhook's receiver must know, under the field names of n8n's credential; a test compares. */
export function webhookFields({ url, secret, signing = 'timestamped' }: WebhookEndpoint): Html {
	const shown = IN_N8N[signing];
	const fields: Array<[string, string]> = shown
		? [['Scheme', shown.scheme], [shown.secret, secret], ...(shown.more ?? [])]
		: signing === 'none'
			? []
			: [['Secret', secret]];
	return html`<section aria-label="Webhook to ${url}">
		<h2>Webhook <small>${url}</small></h2>
		<p class="quiet">
			${shown
				? html`For n8n’s credential <strong>Registered Delivery Webhook API</strong>, or the
						receiver.`
				: signing === 'none'
					? 'Not signed.'
					: `Signed with ${signing}: for the receiver; n8n’s credential does not offer it.`}
		</p>
		<ul class="to-copy">
			${fields.map(([name, value]) => field(name, value))}
		</ul>
	</section>`;
}
