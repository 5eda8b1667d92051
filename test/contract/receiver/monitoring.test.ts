// Alert rules and dashboard against the receiver's own metrics: a rule over a metric that is not
// there never fires.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findProgram } from '../../support/programs.ts';
import { itOr } from '../../support/skipped.ts';
import { activity } from './at-rest.ts';
import { cleanUp, start } from './harness.ts';

afterEach(cleanUp);

async function metricNames(): Promise<string[]> {
	const text = await (await start()).metrics();
	return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
}

it('the table of the documentation has each metric of ours, in the words of its help', async () => {
	const text = await (await start()).metrics();
	const ours = [...text.matchAll(/^# HELP (receiver_\w+) (.+)$/gm)].map(([, name, help]) => [
		name,
		help,
	]);
	const page = readFileSync(join(__dirname, '../../../webhook-receiver/docs/operation.md'), 'utf8');
	const rows = [...page.matchAll(/^\| `(receiver_\w+)` +\| (.+?) +\|$/gm)].map(([, name, says]) => [
		name,
		says,
	]);
	const byName = ([left]: unknown[], [right]: unknown[]) =>
		String(left).localeCompare(String(right));
	expect(rows.sort(byName)).toEqual(ours.sort(byName));
});

it('the table of what needs attention has each kind', async () => {
	const text = await (await start()).metrics();
	const kinds = [...text.matchAll(/^receiver_attention\{kind="(.+)"\}/gm)].map(([, kind]) => kind);
	const page = readFileSync(join(__dirname, '../../../webhook-receiver/docs/operation.md'), 'utf8');
	const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` +\|/gm)].map(([, kind]) => kind);
	expect(rows).toEqual(kinds);
});

it('/readyz, which anybody may ask, writes at most once a second', async () => {
	const { url, atRest } = await start();
	await atRest();
	let writes = 0;
	const since = performance.now();
	const ask = async () => (await fetch(`${url}/readyz`)).status;
	for (let round = 0; round < 10; round++) {
		const before = activity();
		expect(new Set(await Promise.all([ask(), ask(), ask()]))).toEqual(new Set([200]));
		writes += Number(activity() > before);
	}
	const seconds = (performance.now() - since) / 1_000;
	expect(writes).toBeGreaterThan(0);
	expect(writes).toBeLessThanOrEqual(1 + Math.floor(seconds));
});

const folder = join(__dirname, '../../../docs/monitoring');
const read = (file: string) => readFileSync(join(folder, file), 'utf8');

interface Rules {
	groups: Array<{ rules: Array<{ alert: string; expr: string }> }>;
}
interface Dashboard {
	panels: Array<{ title: string; targets: Array<{ expr: string }> }>;
}

const rules = (parse(read('alerts.yaml')) as Rules).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('dashboard.json')) as Dashboard;
const expressions = [
	...rules.map(({ alert, expr }) => [alert, expr]),
	...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr])),
];

it.each(expressions)('%s asks for metrics that the receiver has', async (_, expression) => {
	const known = await metricNames();
	const named = expression.match(/\b(receiver|process|nodejs)_\w+/g) ?? [];
	expect(named.filter((name) => !known.includes(name))).toEqual([]);
	expect(named.length > 0 || expression.startsWith('up{')).toBe(true);
});

it('the dashboard shows every metric of ours', async () => {
	const ours = (await metricNames()).filter((name) => name.startsWith('receiver_'));
	const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' ');
	expect(ours.filter((name) => !shown.includes(name))).toEqual([]);
});

const promtool = findProgram('promtool');
itOr(promtool === null && 'no promtool (Debian: prometheus)')(
	'each rule fires when it should, by promtool',
	() => {
		const run = (...args: string[]) => execFileSync(promtool ?? '', args, { cwd: folder });
		run('check', 'rules', 'alerts.yaml');
		run('test', 'rules', 'alerts.test.yaml');
	},
);
