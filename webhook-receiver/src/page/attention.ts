import { attentionOf } from '../attention/attention-event.ts';
import type { TroubleRecord } from '../attention/attention-store.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';
import { framed, paging, section, time } from './parts.ts';
import type { Frame, Part } from './parts.ts';
import { n8nLink, pathOf } from './workflow-links.ts';

/** What needs an operator now, and what was lost: nothing is lost silently. */
export function attentionSection(open: readonly TroubleRecord[]): Html | null {
	if (open.length === 0) return null;
	return section('Needs attention', list(open));
}

export interface AttentionData {
	open: readonly TroubleRecord[];
	over: Part<TroubleRecord>;
	isFirst: boolean;
}

export function attentionPage({ open, over, isFirst }: AttentionData, frame: Frame): Html {
	const past = over.rows.length === 0 ? html`<p class="quiet">Nothing.</p>` : list(over.rows);
	return framed(
		'Attention',
		frame,
		html`${section('Now', open.length === 0 ? html`<p class="quiet">All is well.</p>` : list(open))}
		${section(
			'Over, and lost',
			html`${past} ${paging('/page/attention', 'before', over.next, isFirst)}`,
		)}`,
	);
}

function list(troubles: readonly TroubleRecord[]): Html {
	const entries = troubles.map((one) => {
		const { text, advice, workflow, since } = attentionOf(one, 'begun');
		const isThere = one.endedAt === null;
		const isLost = one.kind === 'events-lost';
		const until = one.endedAt === null || isLost ? '' : `, over since ${time(iso(one.endedAt))}`;
		const page =
			isThere && one.subject !== ''
				? html`<a href="${pathOf(one.subject)}">Its deliveries</a>`
				: null;
		return html`<li>
			<p class="${isThere || isLost ? 'bad' : ''}">${text}</p>
			${isThere || isLost ? html`<p>${advice}</p>` : null}
			<p class="quiet">
				Since ${time(since)} UTC${until} ${page} ${workflow?.url ? n8nLink(workflow.url) : null}
			</p>
		</li>`;
	});
	return html`<ul class="troubles">
		${entries}
	</ul>`;
}

function iso(at: number): string {
	return new Date(at).toISOString();
}
