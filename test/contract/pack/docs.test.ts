// What the documents say, held against what is there: links, anchors, messages, versions.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { root } from '../../n8n/folders.ts';
import { anchors, filesIn, json, links, read, rows, sections, slug } from './documents.ts';

const REPOSITORY = 'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery';

/** The file of this repository that a link of a document leads to, and the heading in it. */
function targetOf(file: string, link: string): [path: string, anchor: string | undefined] {
	const [path, anchor] = link.split('#');
	return [path === '' ? file : relative(root, join(root, dirname(file), path)), anchor];
}

/** Why a link of a document of this repository leads nowhere, or null. Other hosts are not asked. */
function fault(file: string, link: string): string | null {
	if (/^(https?:|mailto:)/.test(link)) return null;
	const [target, anchor] = targetOf(file, link);
	if (!existsSync(join(root, target))) return `${file}: ${link} is not there`;
	if (anchor === undefined || !target.endsWith('.md')) return null;
	return anchors(target).has(anchor) ? null : `${file}: ${link} has no such heading`;
}

const documents = filesIn('.', /\.md$/);

it('every relative link, picture and anchor of a document is there', () => {
	expect(documents).toEqual(expect.arrayContaining(['README.md', 'CONTRIBUTING.md']));
	const all = documents.flatMap((file) => links(file).map((link) => ({ file, link })));
	expect(all.length).toBeGreaterThan(50);
	expect(all.map(({ file, link }) => fault(file, link)).filter(Boolean)).toEqual([]);
});

it('the first page links to every other page, directly or by the first page of a part or for contributors', () => {
	const pages = documents.filter((file) =>
		/^(docs|examples|sandbox|webhook-receiver)\//.test(file),
	);
	expect(pages.length).toBeGreaterThan(15);
	const first = ['README.md', 'CONTRIBUTING.md', 'sandbox/README.md', 'webhook-receiver/README.md'];
	const linked = first.flatMap((page) => links(page).map((link) => targetOf(page, link)[0]));
	expect(pages.filter((page) => !linked.includes(page))).toEqual([]);
});

it('every link from the editor leads to a page, and to a heading on it', () => {
	const sources = filesIn('nodes', /\.node\.json$/).concat(
		filesIn('credentials', /\.credentials\.ts$/),
	);
	for (const file of sources) {
		const urls = [...read(file).matchAll(/https:\/\/github\.com\/[^\s'"]+/g)].map(([url]) => url);
		expect({ file, count: urls.length }).toEqual({ file, count: 1 });
		for (const url of urls) {
			const [page, anchor] = url.replace(`${REPOSITORY}/blob/main/`, '').split('#');
			const isThere = existsSync(join(root, page));
			expect({ url, isThere }).toEqual({ url, isThere: true });
			if (anchor !== undefined) expect(anchors(page)).toContain(anchor);
		}
	}
});

it('every node has a page of its own, and every credential a section', () => {
	for (const file of filesIn('nodes', /\.node\.json$/)) {
		const { resources } = json(file);
		const [name] = file.split('/').slice(-1);
		const page = name.replace('.node.json', '').replace(/(?<=[a-z])(?=[A-Z])/g, '-');
		expect(resources.primaryDocumentation).toEqual([
			{ url: `${REPOSITORY}/blob/main/docs/nodes/${page.toLowerCase()}.md` },
		]);
	}
	for (const file of filesIn('credentials', /\.credentials\.ts$/)) {
		const [, displayName] = /\tdisplayName = '([^']+)'/.exec(read(file)) ?? [];
		expect(read(file)).toContain(
			`'${REPOSITORY}/blob/main/docs/credentials.md#${slug(displayName)}'`,
		);
	}
});

const sourcesIn = (...folders: string[]): string =>
	folders
		.flatMap((folder) => filesIn(folder, /\.ts$/))
		.map(read)
		.join('\n');

it('a report of a bug may name every node', () => {
	const nodes = [...read('README.md').matchAll(/^- \[(.+?)\]\(docs\/nodes\//gm)].map(
		([, name]) => name,
	);
	expect(nodes).toHaveLength(filesIn('nodes', /\.node\.json$/).length);
	const form = read('.github/ISSUE_TEMPLATE/bug.yml');
	expect(nodes.filter((name) => !form.includes(`\n        - ${name}\n`))).toEqual([]);
});

it('every message that Troubleshooting explains is one the sources have', () => {
	const quoted = rows(read('docs/troubleshooting.md'), 'message').flatMap(({ message }) =>
		[...message.matchAll(/`([^`]+)`/g)].map(([, text]) => text),
	);
	expect(quoted.length).toBeGreaterThan(20);
	const sources = sourcesIn('nodes', 'credentials', 'webhook-receiver/src', 'sandbox/src');
	const missing = quoted.filter((message) => {
		const parts = message.split('…').map((part) => part.trim());
		return parts.some((part) => part !== '' && !sources.replaceAll("\\'", "'").includes(part));
	});
	expect(missing).toEqual([]);
});

it('every text that sends people to the README of the receiver names a heading there', () => {
	const sources = sourcesIn('nodes', 'credentials', 'webhook-receiver/src');
	const named = [...sources.matchAll(/see "([^"]+)" in (?:its|the) README/g)];
	expect(named.length).toBeGreaterThan(1);
	expect(sources.match(/\bREADME\b/g)).toHaveLength(named.length);
	const known = anchors('webhook-receiver/README.md');
	for (const [, heading] of named) expect(known).toContain(slug(heading));
});

it('the documents name the versions that are tested', () => {
	const newest = json('test/n8n/package.json').dependencies.n8n as string;
	const oldest = json('test/oldest-n8n/package.json').dependencies['n8n-core'] as string;
	const claimed = oldest.split('.').slice(0, 2).join('.');
	const compatibility = read('docs/compatibility.md');
	expect(compatibility).toContain(`Tests run in n8n ${newest} and in the engine of n8n ${oldest}`);
	const claims = [read('README.md'), compatibility].map((text) =>
		[...text.matchAll(/n8n (\d+\.\d+) or later/g)].map(([, version]) => version),
	);
	expect(claims).toEqual([[claimed], [claimed]]);
});

/** The first number in a text: 5400 of "5,400 events/s". */
const numberIn = (text = ''): number => Number(/[\d,]*\.?\d+/.exec(text)?.[0].replaceAll(',', ''));

const benchmark = new Map(rows(read('test/bench/RESULTS.md'), '').map((row) => [row.name, row]));
const soak = rows(read('test/images/RESULTS.md'), 'figure');

/** What a row of the benchmark's results says of the pack, or of what one would use instead. */
const measured = (name: string, side: 'ours' | 'theirs' = 'ours'): number =>
	numberIn(benchmark.get(name)?.[side]);

/** At the start, halfway, at the end and at most. */
const memory = soak
	.find(({ figure }) => figure.startsWith('memory of the receiver'))
	?.value.split(', ')
	.map(Number);
const note = (pattern: RegExp): number => numberIn(pattern.exec(read('test/bench/NOTES.md'))?.[1]);

it.each([
	['cost', /stores about ([\d,]+) events a second/, measured('ingest-n8n')],
	['cost', /n8n starts about (\d+) executions a second/, measured('into-workflows', 'theirs')],
	['cost', /it takes about ([\d,]+) events a second/, measured('into-workflows')],
	['cost', /1,000 personal letters in ([\d.]+) s/, measured('letters-personal/time')],
	['cost', /receiver takes (\d+) MB at the start/, memory?.[0]],
	['cost', /at the start and (\d+) MB under load/, memory?.[3]],
	[
		'cost',
		/hand out about ([\d,]+) a second/,
		note(/on one PostgreSQL.*: ([\d,]+) events a second/),
	],
	['cost', /event of 1 KB takes ([\d.]+) kB/, note(/\*\*Disk\*\*: ([\d.]+) kB/)],
	['cost', /(\d+) kB for an event that comes alone/, note(/comes alone, (\d+) kB are written/)],
	['cost', /open pull takes (\d+) kB/, note(/\*\*Open pulls\*\*: (\d+) kB/)],
	['numbers', /same content +\| (\d+) requests/, measured('letters-same/requests')],
	['numbers', /([\d,]+) requests, with/, measured('letters-same/requests', 'theirs')],
	['numbers', /250 MB +\| (\d+) MB/, measured('upload')],
	['numbers', /(\d+) MB, with the same/, measured('upload', 'theirs')],
	['numbers', /start of an execution +\| (\d+) ms/, measured('latency/p50')],
	['numbers', /(\d+) ms with n8n's Webhook node/, measured('latency/p50', 'theirs')],
	['numbers', /(\d+) ms if it checks/, measured('latency-authenticated/p50', 'theirs')],
	['numbers', /events into workflows +\| ([\d,]+) a second/, measured('into-workflows')],
	['numbers', /(\d+) a second, with n8n's/, measured('into-workflows', 'theirs')],
	[
		'numbers',
		/tests notice (\d+) %/,
		numberIn(/([\d.]+) % were noticed/.exec(read('test/mutation/REPORT.md'))?.[1]),
	],
])('a figure of docs/%s.md is the one that was measured: %s', (page, pattern, figure) => {
	const [, told] = pattern.exec(read(`docs/${page}.md`)) ?? [];
	expect({ told, ratio: numberIn(told) / Number(figure) }).toEqual({
		told: expect.any(String),
		ratio: expect.closeTo(1, 1),
	});
});

it('every example has its section, under its own name, with its file and its picture', () => {
	const files = filesIn('examples', /\.json$/);
	expect(files.length).toBeGreaterThan(10);
	const described = sections(read('examples/README.md'), 3);
	expect([...described.keys()].sort()).toEqual(files.map((file) => json(file).name).sort());
	for (const file of files) {
		const name = file.replace(/^examples\/|\.json$/g, '');
		const section = described.get(json(file).name);
		expect(section).toContain(`(${name}.json)`);
		expect(section).toMatch(new RegExp(`\\.\\./docs/screenshots/workflow-${name}-light\\.png`));
	}
});

it('every option and variable of the sandbox is in its README, and no other', () => {
	const main = read('sandbox/src/command.ts');
	const options = [...main.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
	const readme = read('sandbox/README.md');
	const documented = rows(readme, 'option').map(({ option }) => /`(--[a-z-]+)/.exec(option)?.[1]);
	expect(documented).toEqual(options.filter((option) => option !== '--help'));
	const variables = [...main.matchAll(/\{ ([A-Z_]+)[^}]*\} = process\.env/g)].map(
		([, name]) => name,
	);
	expect(variables.length).toBeGreaterThan(0);
	for (const name of variables) expect(readme).toContain(`\`${name}`);
});

it('every file that the pages for contributors name is there', () => {
	const folders = [
		'nodes',
		'credentials',
		'webhook-receiver',
		'sandbox',
		'test',
		'scripts',
		'demo',
	];
	const all = folders.flatMap((folder) => filesIn(folder, /./));
	const pages = ['CONTRIBUTING.md', 'docs/architecture.md', 'docs/release.md', 'test/README.md'];
	// Patterns of names stand there as well: `camelCase.ts`.
	const NAMED = /`(?!camelCase|kebab-case)([\w][\w./-]*\.(?:ts|mjs|json))`/g;
	const named = pages.flatMap((page) => [...read(page).matchAll(NAMED)].map(([, name]) => name));
	expect(named.length).toBeGreaterThan(60);
	const isThere = (name: string) =>
		existsSync(join(root, name)) || all.some((file) => file.endsWith(`/${name}`));
	expect(named.filter((name) => !isThere(name))).toEqual([]);
});

it('every change that CONTRIBUTING shows fits the file that it names', () => {
	const changes = [...read('CONTRIBUTING.md').matchAll(/^ {3}```diff\n([^]*?)^ {3}```/gm)];
	expect(changes.length).toBeGreaterThan(3);
	for (const [, change] of changes) {
		const [named, ...lines] = change.split('\n').map((line) => line.slice(3));
		const file = named.replace('  // ', '');
		const context = lines.filter((line) => line.startsWith('  ')).map((line) => line.slice(2));
		expect(context.length).toBeGreaterThan(0);
		for (const line of context) expect(read(file)).toContain(line);
	}
});

it.each([
	['"email", not "e-mail"', /\be-mail/i],
	['"ID" and "URL" in capitals', /\b(?:[Ii]ds?|[Uu]rls?)\b/],
	['"evidence", which has no plural', /\bevidences\b/i],
	['"cannot"', /\bcan not\b/i],
	['American spelling', /\b(?:recogni|normali|authori|organi|summari)s[ei]|(?:col|behavi|hon)our/i],
])('one word for one thing in all pages for users: %s', (_title, banned) => {
	const pages = documents.filter(
		(file) => !/^(test|docs\/(conformance|interface))|^\.|^CONTRIBUTING/.test(file),
	);
	const CODE = /```[^]*?```|`[^`\n]*`|\]\([^)]*\)|<[^>]+>/g;
	const found = pages.flatMap((file) =>
		read(file)
			.replaceAll(CODE, ' ')
			.split('\n')
			.filter((line) => banned.test(line))
			.map((line) => `${file}: ${line}`),
	);
	expect(found).toEqual([]);
});

it('no document has the rest of a merge', () => {
	const isMerged = (file: string) => !/^(?:<{7}|>{7})( |$)/m.test(read(file));
	expect(documents.filter((file) => !isMerged(file))).toEqual([]);
});

it('every picture is small enough to show many of them', () => {
	const pictures = filesIn('docs', /\.png$/);
	expect(pictures.length).toBeGreaterThan(10);
	expect(pictures.filter((file) => statSync(join(root, file)).size > 170_000)).toEqual([]);
});
