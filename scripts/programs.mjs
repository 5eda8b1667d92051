// Programs of Debian that some tests run. What the system lacks is unpacked into .local, without root.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { runStep } from './run-step.mjs';

const PROGRAMS = ['redis-server', 'pgbouncer', 'promtool', 'shellcheck'];

/** Those that have them, and the libraries that not every Debian has. */
const PACKAGES = [
	'redis-server',
	'redis-tools',
	'libatomic1',
	'libjemalloc2',
	'liblzf1',
	'pgbouncer',
	'libc-ares2',
	'libevent-2.1-7',
	'prometheus',
	'shellcheck',
	'libffi8',
	'libgmp10',
];

/**
 * Unpacks them, once. What can't be had, as without Debian or a network, is left out: the tests that
 * need it are skipped, and say so.
 *
 * @param local where installations go
 */
export async function unpackPrograms(local) {
	const folder = join(local, 'debian');
	if (existsSync(folder) || PROGRAMS.every(isOnPath) || !isOnPath('apt-get')) return;
	const work = `${folder}.unpacking`;
	rmSync(work, { recursive: true, force: true });
	try {
		await download(work);
		for (const file of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
			execFileSync('dpkg-deb', ['--extract', join(work, file), join(work, 'root')]);
			rmSync(join(work, file));
		}
		// Programs and libraries; lint would find the scripts of Prometheus's pages.
		for (const name of ['etc', 'var', 'usr/share']) {
			rmSync(join(work, 'root', name), { recursive: true, force: true });
		}
		mkdirSync(join(work, 'bin'));
		for (const name of PROGRAMS) {
			writeFileSync(join(work, 'bin', name), launcher(name), { mode: 0o755 });
		}
		renameSync(work, folder);
	} catch {
		console.log(`  Goes on without those of ${PROGRAMS.join(', ')} that are not installed.`);
	} finally {
		rmSync(work, { recursive: true, force: true });
	}
}

function isOnPath(name) {
	return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

/** With lists of its own: those of the system may be old or missing, and only root may renew them. */
async function download(work) {
	const lists = join(work, 'apt', 'lists');
	const cache = join(work, 'apt', 'cache');
	mkdirSync(join(lists, 'partial'), { recursive: true });
	mkdirSync(join(cache, 'archives', 'partial'), { recursive: true });
	const options = [`Dir::State::Lists=${lists}`, `Dir::Cache=${cache}`, 'APT::Sandbox::User=root'];
	const patience = [
		'Acquire::Retries=2',
		'Acquire::http::Timeout=20',
		'Acquire::https::Timeout=20',
	];
	const flags = [...options, ...patience].flatMap((option) => ['-o', option]);
	const title = 'Unpacking Redis, PgBouncer, promtool and ShellCheck for the tests, once (25 MB)';
	const script = `apt-get "$@" update && apt-get "$@" download ${PACKAGES.join(' ')}`;
	await runStep(title, 'sh', ['-c', script, 'sh', ...flags], { cwd: work });
	rmSync(join(work, 'apt'), { recursive: true });
}

const launcher = (name) => `#!/bin/sh
root="$(dirname "$0")/../root"
for folder in "$root"/lib/*-linux-gnu "$root"/usr/lib/*-linux-gnu; do
	LD_LIBRARY_PATH="\${LD_LIBRARY_PATH+$LD_LIBRARY_PATH:}$folder"
done
export LD_LIBRARY_PATH
for folder in bin sbin; do
	[ -x "$root/usr/$folder/${name}" ] && exec "$root/usr/$folder/${name}" "$@"
done
`;
