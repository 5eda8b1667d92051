// Loads a pack as n8n does at its start, in its own process: requires and instantiates each class.
//   node load-pack.ts <folder of the pack>     prints the milliseconds it took
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const folder = process.argv[2] ?? '';
const manifest = join(folder, 'package.json');
const { n8n } = JSON.parse(readFileSync(manifest, 'utf8')) as {
	n8n: { nodes: string[]; credentials: string[] };
};
const load = createRequire(manifest);

// n8n loads it long before; from here every pack finds the same one, see NODE_PATH.
createRequire(import.meta.url)('n8n-workflow');

const started = performance.now();
for (const file of [...n8n.credentials, ...n8n.nodes]) {
	const loaded = load(join(folder, file)) as Record<string, new () => unknown>;
	const Type = loaded[basename(file).split('.')[0] ?? ''];
	new Type();
}
process.stdout.write(String(performance.now() - started));
