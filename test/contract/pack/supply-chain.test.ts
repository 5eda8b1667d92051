// What is published brings along only what it may: licences, install scripts, versions. Offline, from the
// lockfile and what is installed; known weaknesses are asked of the registry by `npm run audit`, in CI.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { root } from '../../n8n/folders.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const json = (file: string) => JSON.parse(read(file));

/** Folders of what is published. */
const PUBLISHED = ['.', 'webhook-receiver', 'sandbox'];

/** Licences that ask for nothing but their own text to be kept. */
const ALLOWED = [
	'0BSD',
	'Apache-2.0',
	'BSD-2-Clause',
	'BSD-3-Clause',
	'BlueOak-1.0.0',
	'CC0-1.0',
	'ISC',
	'MIT',
	'Unlicense',
	'Zlib',
];

interface Locked {
	version: string;
	license?: string;
	integrity?: string;
	hasInstallScript?: boolean;
	dependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}

const packages = json('package-lock.json').packages as Record<string, Locked>;

/** Where the lockfile has the dependency of the package in `folder`, as Node would look for it. */
function locate(folder: string, name: string): string | undefined {
	for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
		const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
		if (path in packages) return path;
		if (at === '') return undefined;
	}
}

/** Everything that is installed with what is published, by its place in the lockfile. */
function shipped(): string[] {
	const found = new Set<string>();
	const visit = (
		folder: string,
		manifest: Pick<Locked, 'dependencies' | 'optionalDependencies'>,
	) => {
		const { dependencies, optionalDependencies } = manifest;
		for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
			const path = locate(folder, name);
			if (path === undefined) {
				if (dependencies?.[name] && !optionalDependencies?.[name]) {
					throw new Error(`The lockfile has no ${name} for ${folder}.`);
				}
				continue;
			}
			if (found.has(path)) continue;
			found.add(path);
			visit(path, packages[path]);
		}
	};
	for (const folder of PUBLISHED)
		visit(folder === '.' ? '' : folder, json(`${folder}/package.json`));
	return [...found];
}

/** The words of the MIT licence, for a package that has them in a file and names nothing (png-js). */
const MIT_WORDS =
	/^[\s\S]{0,300}Permission is hereby granted, free of charge, to any person obtaining/;

function licence(path: string): string {
	const locked = packages[path].license;
	if (locked) return locked;
	const { license, licenses } = json(`${path}/package.json`);
	const named = license?.type ?? license ?? licenses?.[0]?.type;
	if (named) return named;
	const file = `${path}/LICENSE`;
	return existsSync(join(root, file)) && MIT_WORDS.test(read(file)) ? 'MIT' : 'unknown';
}

/** Of alternatives one is enough; of a conjunction all must be allowed. */
function isAllowed(expression: string): boolean {
	const bare = expression.replace(/[()]/g, '');
	if (/ OR /.test(bare)) return bare.split(' OR ').some(isAllowed);
	return bare.split(' AND ').every((name) => ALLOWED.includes(name.trim()));
}

it('the pack brings nothing; receiver and sandbox bring what they name', () => {
	expect(json('package.json')).not.toHaveProperty('dependencies');
	expect(shipped()).toEqual(
		expect.arrayContaining(['node_modules/express', 'node_modules/pg', 'node_modules/pdfkit']),
	);
	expect(shipped().length).toBeGreaterThan(80);
});

it('every licence of what ships is a permissive one', () => {
	const refused = shipped().filter((path) => !isAllowed(licence(path)));
	expect(refused.map((path) => `${path}: ${licence(path)}`)).toEqual([]);
});

it('what ships is a range, so that who installs it gets patches; the rest, and the lockfile, are exact', () => {
	for (const folder of PUBLISHED) {
		const { dependencies = {}, devDependencies = {} } = json(`${folder}/package.json`);
		const wrong = (versions: Record<string, string>, right: RegExp) =>
			Object.entries(versions).filter(([, version]) => !right.test(version));
		const found = [
			...wrong(dependencies, /^\^\d+\.\d+\.\d+$/),
			...wrong(devDependencies, /^\d+\.\d+\.\d+(-[\w.]+)?$/),
		];
		expect({ folder, found }).toEqual({ folder, found: [] });
		// The lowest that the range allows is what is tested.
		for (const [name, range] of Object.entries(dependencies as Record<string, string>))
			expect(`${name}@^${packages[locate(folder, name)!].version}`).toBe(`${name}@${range}`);
	}
	expect(shipped().filter((path) => !packages[path].integrity)).toEqual([]);
});

it('updates are watched: of npm’s packages, of the actions, and of what each image stands on', () => {
	const { updates } = parse(read('.github/dependabot.yml')) as {
		updates: Array<{ 'package-ecosystem': string; directory?: string; directories?: string[] }>;
	};
	const watched = updates.flatMap(({ directory, directories, ...one }) =>
		(directories ?? [directory]).map((folder) => `${one['package-ecosystem']} ${folder}`),
	);
	const images = readdirSync(root).filter((name) => existsSync(join(root, name, 'Dockerfile')));
	expect(watched.sort()).toEqual([
		...images.sort().map((name) => `docker /${name}`),
		'github-actions /',
		'npm /',
	]);
});

it('each of the three can be found, and says whose it is and where to complain', () => {
	for (const folder of PUBLISHED) {
		const { keywords, author, bugs, homepage } = json(`${folder}/package.json`);
		expect(keywords.length).toBeGreaterThan(2);
		expect({ author, bugs }).toEqual({
			author: { name: expect.stringMatching(/\w/), email: expect.stringContaining('@') },
			bugs: { url: expect.stringMatching(/^https:.*\/issues$/) },
		});
		expect(homepage).toMatch(/^https:.*#readme$/);
	}
});

it('nothing that ships runs a script when it is installed', () => {
	expect(shipped().filter((path) => packages[path].hasInstallScript)).toEqual([]);
	const installing = /^(pre|post)?install$|^(pre|post)?uninstall$|^(pre|post)?prepare$/;
	for (const folder of PUBLISHED) {
		const scripts = Object.keys(json(`${folder}/package.json`).scripts ?? {});
		expect({ folder, found: scripts.filter((name) => installing.test(name)) }).toEqual({
			folder,
			found: [],
		});
	}
});

it('the versions of the three move together, with the lockfile', () => {
	const { version } = json('package.json');
	for (const folder of PUBLISHED) {
		expect({ folder, version: json(`${folder}/package.json`).version }).toEqual({
			folder,
			version,
		});
		expect({ folder, locked: packages[folder === '.' ? '' : folder].version }).toEqual({
			folder,
			locked: version,
		});
	}
});

it('the changelog tells of this version, or of what comes next', () => {
	const headings = [...read('CHANGELOG.md').matchAll(/^## \[([^\]]+)\](?: - (\S+))?$/gm)];
	const [first, ...older] = headings.map(([, version, date]) => ({ version, date }));
	expect(first).toEqual({ version: 'Unreleased', date: undefined });
	for (const { date } of older) expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
	// Before the first release there is nothing but what comes next.
	if (older.length > 0) expect(older[0].version).toBe(json('package.json').version);
});
