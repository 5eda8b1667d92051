import { ANY_EVENT } from '../core/event-contract.ts';
import type { StoredConsumer, Wants } from '../core/pull-contract.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { form, table, time } from './parts.ts';

/** Who gets the events: what each wants, whether an n8n is there for it, and what waits. */
export function consumersTable(consumers: readonly StoredConsumer[], formToken: string): Html {
	const rows = consumers.map((one) => {
		const retry = `/page/deliveries/retry-dead?consumer=${encodeURIComponent(one.key)}`;
		return html`<tr>
			<td class="wide">${one.name || one.key}<br /><span class="quiet">${one.key}</span></td>
			<td class="wide">${inWords(one.wants)}</td>
			<td class="wide">${holderOf(one)}${rivalOf(one)}</td>
			<td>${one.behind}</td>
			<td>${one.queued}</td>
			<td>${one.inHand}</td>
			<td class="${one.dead > 0 ? 'bad' : ''}">${one.dead}</td>
			<td>${one.dead > 0 ? form(retry, formToken, 'Hand out dead ones again') : null}</td>
		</tr>`;
	});
	const heads = ['Consumer', 'Wants', 'n8n', 'Behind', 'Queued', 'In hand', 'Dead', ''];
	return table('Consumers', heads, rows);
}

function inWords({ events, filter = {}, batchSize }: Wants): string {
	const types = events.includes(ANY_EVENT) ? 'every event' : events.join(', ');
	const { messageTypes, statuses, fileReference, customerReference } = filter;
	const filters: Array<[string, string | undefined]> = [
		['message type', messageTypes?.join(' or ')],
		['status', statuses?.join(' or ')],
		['file reference', fileReference],
		['customer reference', customerReference],
	];
	const narrowed = filters.flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
	const size = batchSize > 1 ? [`up to ${batchSize} at once`] : [];
	return [types, ...narrowed, ...size].join('; ');
}

function holderOf({ held, awaySince, pulledAt }: StoredConsumer): Html {
	if (held) return html`<span class="good">pulls</span>`;
	return html`<span class="bad">away since ${time(awaySince ?? pulledAt)}</span>`;
}

function rivalOf({ rivalAt }: StoredConsumer): Html | null {
	if (rivalAt === null) return null;
	return html`<br /><span class="bad"
			>A second n8n with the same identity was refused at ${time(rivalAt)}: stop one of the
			two.</span
		>`;
}
