import { figureText, ratioText } from './figures.ts';
import type { Measurement } from './measure.ts';

/** What matters most to someone choosing, in their words. */
const SHOWN = [
	{ name: 'ingest-n8n', title: 'Events stored durably', peer: 'n8n’s Webhook node' },
	{ name: 'into-workflows', title: 'Events into workflows', peer: 'n8n’s Webhook node' },
	{
		name: 'letters-same/time',
		title: 'Time for 1,000 letters with the same content',
		peer: 'n8n’s HTTP Request node',
	},
];

const WIDTH = 760;
const PANEL = 104;
const BARS = { left: 200, width: 330 };

const STYLE = `text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #444c56 }
.title { font-weight: 600; font-size: 14px; fill: #1f2328 }
.ratio { font-weight: 700; font-size: 24px; fill: #1a7f5a }
.value { font-variant-numeric: tabular-nums }
.ours { fill: #1a9c6b } .theirs { fill: #b6bec9 }
@media (prefers-color-scheme: dark) {
text { fill: #9da7b3 } .title { fill: #e6edf3 } .ratio { fill: #4cc38a }
.ours { fill: #3fb984 } .theirs { fill: #5c6672 }
}`;

/** Bars for the lines that matter most, ours above theirs, for light and dark pages. */
export function picture(all: readonly Measurement[]): string {
	const shown = SHOWN.flatMap((panel) => {
		const one = all.find(({ name }) => name === panel.name);
		return one ? [{ ...panel, one }] : [];
	});
	const label = shown.map(({ one, title }) => `${title}: ${ratioText(one.ratio)}`).join('; ');
	const height = 16 + shown.length * PANEL;
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${label}">
<style>
${STYLE}
</style>
${shown.map(({ one, title, peer }, index) => panelText(one, { title, peer, top: 24 + index * PANEL })).join('\n')}
</svg>
`;
}

function panelText(
	{ ours, theirs, ratio, unit }: Measurement,
	{ title, peer, top }: { title: string; peer: string; top: number },
): string {
	const longest = Math.max(ours, theirs ?? 0);
	const bar = (name: string, value: number, kind: string, y: number) => {
		const width = Math.max(2, (value / longest) * BARS.width);
		return `<text x="${BARS.left - 12}" y="${y + 15}" text-anchor="end">${name}</text>
<rect class="${kind}" x="${BARS.left}" y="${y}" width="${width.toFixed(1)}" height="20" rx="3"/>
<text class="value" x="${(BARS.left + width + 8).toFixed(1)}" y="${y + 15}">${figureText(value, unit)}</text>`;
	};
	return `<text class="title" x="20" y="${top + 6}">${title}</text>
${bar('this pack', ours, 'ours', top + 18)}
${bar(peer, theirs ?? 0, 'theirs', top + 44)}
<text class="ratio" x="${WIDTH - 20}" y="${top + 48}" text-anchor="end">${ratioText(ratio)}</text>`;
}
