import type { Activity } from '../store/store.ts';
import { html } from './html.ts';
import type { Html } from './html.ts';

const WIDTH = 960;
const HEIGHT = 180;
const FLOOR = HEIGHT - 24;
const TOP = 16;

/** Bars for each span of the last hours, drawn as SVG so that the page needs no script. */
export function chart(
	activity: readonly Activity[],
	from: number,
	spanMs: number,
	spans: number,
): Html {
	const byTime = new Map(activity.map((one) => [one.at, one]));
	const first = Math.floor(from / spanMs) * spanMs;
	const all = Array.from({ length: spans + 1 }, (_, index) => {
		const at = first + index * spanMs;
		return byTime.get(at) ?? { at, events: 0, done: 0, dead: 0 };
	});
	const most = Math.max(1, ...all.map((one) => Math.max(one.events, one.done, one.dead)));
	const step = WIDTH / all.length;
	const bar = (x: number, count: number, kind: string) => {
		const height = count === 0 ? 0 : Math.max(2, ((FLOOR - TOP) * count) / most);
		return html`<rect
			class="${kind}"
			x="${x.toFixed(1)}"
			y="${(FLOOR - height).toFixed(1)}"
			width="${(step / 4).toFixed(1)}"
			height="${height.toFixed(1)}"
		></rect>`;
	};
	const bars = all.map((one, index) => {
		const x = index * step;
		return html`<g>
			<title>${label(one.at)}: ${one.events} events, ${one.done} done, ${one.dead} dead</title>
			${bar(x, one.events, 'events')} ${bar(x + step / 4, one.done, 'done')}
			${bar(x + step / 2, one.dead, 'dead')}
		</g>`;
	});
	const hours = all
		.map((one, index) => ({ ...one, x: index * step }))
		.filter((_, index) => index % 6 === 0 && index < spans)
		.map(({ at, x }) => html`<text x="${x.toFixed(1)}" y="${HEIGHT - 6}">${label(at)}</text>`);
	return html`<svg
		viewBox="0 0 ${WIDTH} ${HEIGHT}"
		role="img"
		aria-label="Events and deliveries of the last hours"
	>
		<line x1="0" y1="${FLOOR}" x2="${WIDTH}" y2="${FLOOR}"></line>
		<text x="0" y="12">${most}</text>
		${bars} ${hours}
	</svg>`;
}

function label(at: number): string {
	return `${new Date(at).toISOString().slice(11, 16)} UTC`;
}
