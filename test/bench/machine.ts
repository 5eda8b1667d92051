import { readFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';

/** What the figures were measured on. */
export function machine(): string {
	const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
	const memory = Math.round(totalmem() / 2 ** 30);
	const { dependencies } = readJson('test/n8n/package.json') as { dependencies: { n8n: string } };
	const { version } = readJson('package.json') as { version: string };
	return [
		`${availableParallelism()} cores (${processor}), ${memory} GB, ${platform()} ${release()} ${arch()}`,
		`Node ${process.versions.node}, SQLite ${process.versions.sqlite}, n8n ${dependencies.n8n}`,
		`this pack ${version}`,
	].join('; ');
}

/** By its path from the repository root. */
function readJson(file: string): unknown {
	return JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));
}
