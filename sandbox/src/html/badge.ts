import { html, type Html } from './html.ts';

/** A status or a state in words, and in the colour of good or bad news. */
export const badge = (status: string): Html =>
	html`<span class="status ${kindOf(status)}">${label(status)}</span>`;

/** The class that gives it its colour. */
export function kindOf(status: string): 'good' | 'bad' | 'quiet' {
	if (GOOD.includes(status)) return 'good';
	return BAD.includes(status) ? 'bad' : 'quiet';
}

const GOOD = ['RECEIVED', 'OPENED', 'ACCEPTED'];
const BAD = ['UNDELIVERED', 'FAILED', 'REFUSED', 'EXPIRED', 'REVOKED', 'CANCELLED'];

const label = (status: string): string => status.charAt(0) + status.slice(1).toLowerCase();
