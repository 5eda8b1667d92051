// Gives pack, receiver and sandbox the same version, and the changelog's unreleased changes their
// heading:
//   npm run set-version -- 1.2.3
// Edits the text, because `npm version` would also sync node_modules.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? '')) {
	console.error('The new version is missing. Run for example: npm run set-version -- 1.2.3');
	process.exit(2);
}

const today = new Date().toISOString().slice(0, 10);
const unreleased = '## [Unreleased]\n';
const changelog = readFileSync(`${root}CHANGELOG.md`, 'utf8');
const [before, changes] = changelog.split(unreleased);
if (changes === undefined || !/^\s*### /.test(changes)) {
	console.error('CHANGELOG.md has nothing under "Unreleased".');
	process.exit(1);
}
writeFileSync(
	`${root}CHANGELOG.md`,
	`${before}${unreleased}\n## [${version}] - ${today}\n${changes}`,
);

const folders = ['', 'webhook-receiver', 'sandbox'];
for (const folder of folders) {
	const file = `${root}${folder}/package.json`;
	const text = readFileSync(file, 'utf8');
	writeFileSync(file, text.replace(/("version": )"[^"]+"/, `$1"${version}"`));
}
for (const folder of ['webhook-receiver', 'sandbox']) {
	const file = `${root}${folder}/Dockerfile`;
	const text = readFileSync(file, 'utf8');
	writeFileSync(file, text.replace(/(image\.version=)"[^"]+"/, `$1"${version}"`));
}
for (const name of ['render.yaml', 'webhook-receiver/fly.toml']) {
	const file = `${root}${name}`;
	const text = readFileSync(file, 'utf8');
	writeFileSync(file, text.replace(/(\/receiver:)[\w.-]+/, `$1${version}`));
}
const lockFile = `${root}package-lock.json`;
const text = readFileSync(lockFile, 'utf8');
const lock = JSON.parse(text);
lock.version = version;
for (const folder of folders) lock.packages[folder].version = version;
const [, indent] = /^\{\n(\s+)/.exec(text);
writeFileSync(lockFile, `${JSON.stringify(lock, null, indent)}\n`);
console.log(
	`✓ ${version}: package.json of all three, both Dockerfiles, render.yaml, fly.toml, package-lock.json, CHANGELOG.md`,
);
