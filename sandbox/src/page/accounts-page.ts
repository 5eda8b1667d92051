import { accountsWithSecrets, type AccountAccess } from '../control/state.ts';
import type { Customer } from '../state/model.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { World } from '../world/world.ts';
import { copyable, field } from './copyable.ts';
import { delegationButtons, logoImage } from './customer-card.ts';
import { badge } from '../html/badge.ts';
import { html, type Html } from '../html/html.ts';
import { layout } from './layout.ts';

/** What clients need to connect as each account: tokens, certificates, the authority. */
export const accountsPage = (world: World): string =>
	layout(
		'/accounts',
		'Accounts',
		html`<p>
				Copy each value into the field of the same name of n8n’s credential
				<strong>Registered Delivery API</strong>.
			</p>
			${accountsWithSecrets(world).map((account) => accountCard(world, account))}
			${world.webhooks.endpoints.map(webhookFields)}`,
	);

function accountCard(world: World, account: AccountAccess): Html {
	const customers = [...world.store.customers.values()].filter(
		({ accountId }) => accountId === account.id,
	);
	return html`<section aria-label="${account.company}">
		<h2><bdi>${account.company}</bdi> <small>${accountKind(account)}</small></h2>
		<p class="quiet">
			${account.kyc ? 'Identity verified' : 'Identity not verified'},
			${account.certificate ? 'certificate registered' : 'no certificate: cannot send LRE'}
		</p>
		<ul class="to-copy">
			${credentialFields(world, account).map(([name, value]) => field(name, value))}
		</ul>
		${customers.length > 0
			? html`<ul class="plain">
					${customers.map(customerLine)}
				</ul>`
			: null}
	</section>`;
}

const accountKind = ({ name, role }: AccountAccess): Html =>
	name === role ? html`${role}` : html`<bdi>${name}</bdi>, ${role}`;

/** Under the names that the fields of n8n's credential have, and in their order; a test compares. */
function credentialFields(world: World, account: AccountAccess): Array<[string, string]> {
	const fields: Array<[string, string | null]> = [
		['Base URL', world.host.url],
		['API Token', account.token],
		['CA Certificate (PEM)', world.host.caCertificate],
		['Client Certificate (PEM)', account.certificate],
		['Client Key (PEM)', account.key],
	];
	return fields.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}

const customerLine = (customer: Customer): Html =>
	html`<li>
		${logoImage(customer)} <bdi>${customer.name}</bdi> ${badge(customer.state)}
		${copyable(`ID of ${customer.name}`, customer.id)} ${delegationButtons(customer)}
	</li>`;

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
function webhookFields({ url, secret, signing = 'timestamped' }: WebhookEndpoint): Html {
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
