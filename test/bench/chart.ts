import { readable } from './figures.ts';
import { escape, svg } from './svg.ts';

export interface Series {
	name: string;
	points: ReadonlyArray<readonly [x: number, y: number]>;
}

/** One plot; several stand under each other in a picture. */
export interface Plot {
	title: string;
	xLabel: string;
	unit: string;
	/** Steps of ten are equally far apart. */
	logarithmic?: boolean;
	series: readonly Series[];
}

const WIDTH = 760;
const HEIGHT = 210;
const AREA = { left: 70, right: 150, top: 34, bottom: 40 };

export function chart(plots: readonly Plot[]): string {
	const body = plots.map((one, index) => plot(one, index * HEIGHT)).join('\n');
	const label = plots.map(({ title }) => title).join('; ');
	return svg({ width: WIDTH, height: plots.length * HEIGHT, label }, body);
}

function plot({ title, xLabel, unit, logarithmic, series }: Plot, top: number): string {
	const all = series.flatMap(({ points }) => points);
	const scale = logarithmic === true ? Math.log10 : (value: number) => value;
	const xs = all.map(([x]) => scale(x));
	const [from, to] = [Math.min(...xs), Math.max(...xs)];
	const ceiling = roundUp(Math.max(...all.map(([, y]) => y)));
	const width = WIDTH - AREA.left - AREA.right;
	const height = HEIGHT - AREA.top - AREA.bottom;
	const x = (value: number) => AREA.left + ((scale(value) - from) / (to - from || 1)) * width;
	const y = (value: number) => top + AREA.top + height - (value / ceiling) * height;

	const levels = [0, 0.5, 1].map((share) => share * ceiling);
	const ticks = logarithmic === true ? distinct(all.map(([value]) => value)) : spread(from, to);
	return [
		`<text class="title" x="20" y="${top + 20}">${escape(unit === '' ? title : `${title}, ${unit}`)}</text>`,
		...levels.map(
			(level) =>
				`<line class="grid" x1="${AREA.left}" x2="${AREA.left + width}" y1="${y(level)}" y2="${y(level)}"/>
<text class="small" x="${AREA.left - 8}" y="${y(level) + 4}" text-anchor="end">${escape(readable(level))}</text>`,
		),
		...ticks.map(
			(tick) =>
				`<text class="small" x="${x(tick).toFixed(1)}" y="${y(0) + 16}" text-anchor="middle">${escape(readable(tick))}</text>`,
		),
		`<text class="small" x="${AREA.left + width / 2}" y="${y(0) + 32}" text-anchor="middle">${escape(xLabel)}</text>`,
		...series.map(({ name, points }, index) => {
			const line = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`);
			const kind = index % 3;
			const dots = points.length > 20 ? [] : line;
			return `<polyline class="line line${kind}" points="${line.join(' ')}"/>
${dots.map((dot) => `<circle class="dot${kind}" cx="${dot.split(',')[0]}" cy="${dot.split(',')[1]}" r="3"/>`).join('')}
<rect class="dot${kind}" x="${WIDTH - AREA.right + 16}" y="${top + AREA.top + index * 20}" width="10" height="10" rx="2"/>
<text class="small" x="${WIDTH - AREA.right + 32}" y="${top + AREA.top + 9 + index * 20}">${escape(name)}</text>`;
		}),
	].join('\n');
}

/** The next of 1, 2, 5, 10, 20, … */
function roundUp(value: number): number {
	if (value <= 0) return 1;
	const power = 10 ** Math.floor(Math.log10(value));
	return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

function spread(from: number, to: number): number[] {
	return [0, 1 / 3, 2 / 3, 1].map((share) => from + share * (to - from));
}

function distinct(values: readonly number[]): number[] {
	return [...new Set(values)];
}
