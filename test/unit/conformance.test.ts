// The rules of the service's interface (docs/conformance.md) and the tests that name them, both ways.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../n8n/folders.ts';

const PARTS = ['nodes', 'credentials', 'webhook-receiver/src', 'sandbox/src', 'test'];
const OWN = 'test/unit/conformance.test.ts';

/** The sides of each rule. */
const rules = new Map(
	[
		...readFileSync(join(root, 'docs/conformance.md'), 'utf8').matchAll(
			/^\| ([A-Z]+-\d\d) +\| ([NSRT ]+?) +\| (\S.*?) +\| (\S.*?) +\|$/gm,
		),
	].map(([, rule, sides]) => [rule, sides.split(' ')]),
);
const families = [...new Set([...rules.keys()].map((rule) => rule.split('-')[0]))];

const sources = PARTS.flatMap((part) =>
	readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
		.map((name) => `${part}/${name}`)
		.filter((file) => file.endsWith('.ts') && !file.includes('node_modules') && file !== OWN)
		.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') })),
);

/** Rule and side, of every title: one may have several rules, each with the sides that follow. */
const proven = sources
	.filter(({ file }) => file.startsWith('test/'))
	.flatMap(({ text }) => text.match(/(?:\[[A-Z]+-\d\d\])+(?:\[[NSRT]\])+/g) ?? [])
	.flatMap((labels) => {
		const sides = labels.match(/(?<=\[)[NSRT](?=\])/g) ?? [];
		const named = labels.match(/[A-Z]+-\d\d/g) ?? [];
		return named.flatMap((rule) => sides.map((side) => `${rule} ${side}`));
	});

it('the page has the rules', () => {
	expect(rules.size).toBeGreaterThan(80);
});

it('each rule is proven on each of its sides', () => {
	const all = [...rules].flatMap(([rule, sides]) => sides.map((side) => `${rule} ${side}`));
	expect(all.filter((one) => !proven.includes(one))).toEqual([]);
});

it('a title names no rule or side that the page does not have', () => {
	const isListed = (one: string) => {
		const [rule, side] = one.split(' ');
		return rules.get(rule)?.includes(side) === true;
	};
	expect([...new Set(proven)].filter((one) => !isListed(one))).toEqual([]);
});

it('nothing else names a rule that there is not', () => {
	const named = new RegExp(`\\b(?:${families.join('|')})-\\d\\d\\b`, 'g');
	const found = sources.flatMap(({ file, text }) =>
		(text.match(named) ?? []).filter((rule) => !rules.has(rule)).map((rule) => `${file}: ${rule}`),
	);
	expect(found).toEqual([]);
});
