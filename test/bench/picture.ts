import type { Measurement } from './benchmark.ts';
import { figureText, ratioText } from './figures.ts';
import { escape, svg } from './svg.ts';

/** What matters most to who has to choose, in words for them. */
const SHOWN = [
	{ row: 'ingest-n8n', title: 'Events stored durably', theirs: 'n8n’s Webhook node' },
	{ row: 'into-workflows', title: 'Events into workflows', theirs: 'n8n’s Webhook node' },
	{
		row: 'letters-same',
		part: 'letters-same/time',
		title: 'Time for 1,000 letters with the same content',
		theirs: 'n8n’s HTTP Request node',
	},
];

const WIDTH = 760;
const PANEL = 104;
const BARS = { left: 200, width: 330 };

/** Bars of the rows that matter most, ours above theirs; what was not measured is left out. */
export function resultsPicture(all: readonly Measurement[]): string {
	const panels = SHOWN.flatMap(({ row, part, title, theirs }) => {
		const found = all.find(({ name }) => name === (part ?? row) || name.startsWith(`${row}/`));
		const one = all.find(({ name }) => name === part) ?? found;
		return one === undefined || one.theirs === null ? [] : [{ one, title, theirs }];
	});
	const body = panels.map(({ one, title, theirs }, index) =>
		panel(one, { title, theirs, top: 24 + index * PANEL }),
	);
	const label = panels.map(({ one, title }) => `${title}: ${ratioText(one.ratio)}`).join('; ');
	return svg({ width: WIDTH, height: 16 + panels.length * PANEL, label }, body.join('\n'));
}

function panel(
	one: Measurement,
	{ title, theirs, top }: { title: string; theirs: string; top: number },
): string {
	const longest = Math.max(one.ours, one.theirs ?? 0);
	const bar = (name: string, value: number, kind: string, y: number) => {
		const width = Math.max(2, (value / longest) * BARS.width);
		return `<text class="name" x="${BARS.left - 12}" y="${y + 15}" text-anchor="end">${escape(name)}</text>
<rect class="${kind}" x="${BARS.left}" y="${y}" width="${width.toFixed(1)}" height="20" rx="3"/>
<text class="value" x="${(BARS.left + width + 8).toFixed(1)}" y="${y + 15}">${escape(figureText(value, one.unit))}</text>`;
	};
	return `<text class="title" x="20" y="${top + 6}">${escape(title)}</text>
${bar('this pack', one.ours, 'ours', top + 18)}
${bar(theirs, one.theirs ?? 0, 'theirs', top + 44)}
<text class="ratio" x="${WIDTH - 20}" y="${top + 48}" text-anchor="end">${escape(ratioText(one.ratio))}</text>`;
}
