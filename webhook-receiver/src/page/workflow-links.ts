import type { WorkflowName } from '../attention/attention.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';

// How pages name a workflow and link to it.

export function pathOf(key: string): string {
	return `/page/workflows/${encodeURIComponent(key)}`;
}

/** For lists: n8n's names may be as long as a paragraph. */
export function shortName({ name }: Pick<WorkflowName, 'name'>): string {
	if (name.trim() === '') return 'A workflow without a name';
	return name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name;
}

const LONGEST_SHOWN = 60;

/** Only http and https links, whatever the database holds. */
export function n8nLink(url: string): Html | null {
	if (!/^https?:\/\//i.test(url)) return null;
	return html`<a href="${url}" rel="noreferrer">Open in n8n</a>`;
}
