// What the documents say, held against what is there: links, anchors, messages, versions.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { root } from '../../n8n/pack.ts';

const REPOSITORY = 'https://github.com/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const json = (file: string) => JSON.parse(read(file));

/** Files below a folder of the repository, by their ending; installed and built ones left out. */
function filesIn(folder: string, ending: RegExp): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		const path = join(folder, entry.name);
		if (/^(node_modules|dist|\.local|\.git|coverage)$/.test(entry.name)) return [];
		if (entry.isDirectory()) return filesIn(path, ending);
		return ending.test(entry.name) ? [path] : [];
	});
}

/** Code apart: what stands in it is no link and no heading. */
const prose = (text: string) =>
	text.replace(/^( *)```[\s\S]*?^\1```/gm, '').replace(/`[^`\n]*`/g, '`');

/** The anchors GitHub gives the headings of a document. */
function anchors(file: string): Set<string> {
	const text = read(file).replace(/^( *)```[\s\S]*?^\1```/gm, '');
	const seen = new Map<string, number>();
	const slugs = [...text.matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading]) => {
		const slug = heading
			.trim()
			.toLowerCase()
			.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.replace(/\s/g, '-');
		const count = seen.get(slug) ?? 0;
		seen.set(slug, count + 1);
		return count === 0 ? slug : `${slug}-${count}`;
	});
	return new Set(slugs);
}

/** Where the links and pictures of a document lead. */
function links(file: string): string[] {
	const text = prose(read(file));
	return [
		...[...text.matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, link]) => link),
		...[...text.matchAll(/(?:src|srcset|href)="([^"]+)"/g)].map(([, link]) => link),
	];
}

/** Why a link of a document of this repository leads nowhere, or null. Other hosts are not asked. */
function fault(file: string, link: string): string | null {
	if (/^(https?:|mailto:)/.test(link)) return null;
	const [path, anchor] = link.split('#');
	const target = path === '' ? file : relative(root, join(root, dirname(file), path));
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

it('every link from the editor into the README has its heading', () => {
	const sources = filesIn('nodes', /\.node\.json$/).concat(filesIn('credentials', /\.ts$/));
	const targets = sources.flatMap((file) =>
		[...read(file).matchAll(/https:\/\/github\.com\/[^\s'"]+/g)].map(([url]) => ({ file, url })),
	);
	expect(targets.length).toBeGreaterThanOrEqual(sources.length - 6);
	const known = anchors('README.md');
	for (const { file, url } of targets) {
		const [page, anchor] = url.split('#');
		expect({ file, page, isKnown: known.has(anchor) }).toEqual({
			file,
			page: REPOSITORY,
			isKnown: true,
		});
	}
});

it('every node is found by what people call a registered letter', () => {
	const words = [
		'registered letter',
		'LRE',
		'lettre recommandée',
		'recommandé électronique',
		'e-registered mail',
		'proof of delivery',
	];
	for (const file of filesIn('nodes', /\.node\.json$/)) {
		expect({ file, alias: json(file).alias }).toEqual({
			file,
			alias: expect.arrayContaining(words),
		});
	}
});

it('every node has a section of its own in the README', () => {
	const known = anchors('README.md');
	for (const file of filesIn('nodes', /\.node\.json$/)) {
		const [{ url }] = json(file).resources.primaryDocumentation;
		const own = file
			.replace(/.*\//, '')
			.replace('.node.json', '')
			.replace(/(?<=[a-z])(?=[A-Z])/g, '-')
			.toLowerCase();
		expect(url).toBe(`${REPOSITORY}#${own}`);
		expect(known).toContain(own);
	}
});

it('every message that the README explains is one the sources have', () => {
	const [, section] = /## When something fails\n([\s\S]*?)\n## /.exec(read('README.md')) ?? [];
	const quoted = [...(section ?? '').matchAll(/^\| `([^`]+)`/gm)].map(([, message]) => message);
	expect(quoted.length).toBeGreaterThan(20);
	const sources = ['nodes', 'credentials', 'webhook-receiver/src', 'sandbox/src']
		.flatMap((folder) => filesIn(folder, /\.ts$/))
		.map(read)
		.join('\n')
		.replaceAll("\\'", "'");
	const missing = quoted.filter((message) => {
		const parts = message.split('…').map((part) => part.trim());
		return parts.some((part) => part !== '' && !sources.includes(part));
	});
	expect(missing).toEqual([]);
});

it('the README names the versions that are tested', () => {
	const readme = read('README.md');
	const newest = json('test/n8n/package.json').dependencies.n8n as string;
	const oldest = json('test/oldest-n8n/package.json').dependencies['n8n-core'] as string;
	const claimed = oldest.split('.').slice(0, 2).join('.');
	expect(readme).toContain(`Tests run in n8n ${newest} and in the engine of n8n ${oldest}`);
	expect([...readme.matchAll(/n8n (\d+\.\d+) or later/g)].map(([, version]) => version)).toEqual([
		claimed,
		claimed,
	]);
});

it('every file that CONTRIBUTING names is there', () => {
	const sources = [
		'nodes',
		'credentials',
		'webhook-receiver',
		'sandbox',
		'test',
		'scripts',
		'demo',
	];
	const all = sources.flatMap((folder) => filesIn(folder, /./));
	// Patterns of names stand there as well: `camelCase.ts`.
	const named = [
		...read('CONTRIBUTING.md').matchAll(
			/`(?!camelCase|kebab-case)([\w][\w./-]*\.(?:ts|mjs|json))`/g,
		),
	]
		.map(([, name]) => name)
		.filter((name) => !existsSync(join(root, name)));
	const missing = named.filter((name) => !all.some((file) => file.endsWith(`/${name}`)));
	expect(missing).toEqual([]);
});

it('every picture is small enough to show many of them', () => {
	const pictures = filesIn('docs', /\.png$/);
	expect(pictures.length).toBeGreaterThan(10);
	expect(pictures.filter((file) => statSync(join(root, file)).size > 150_000)).toEqual([]);
});
