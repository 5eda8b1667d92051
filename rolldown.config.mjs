// Puts the pack's code into one file, and beside it one for each node and credential that n8n looks for:
// n8n loads all of them at its start, and a hundred files take it longer to find than to read. The code stays
// readable, comments included, for who reviews what ships. Types are checked, and icons brought, by
// `n8n-node build` before.
import { readFileSync } from 'node:fs';

const { n8n } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** `nodes/GetStatus/GetStatus.node` of `dist/nodes/GetStatus/GetStatus.node.js`. */
const names = [...n8n.nodes, ...n8n.credentials].map((file) =>
	file.slice('dist/'.length, -'.js'.length),
);

/**
 * Leaves out the schemas that only the receiver uses: making them at every start takes n8n longer than all
 * else here. Nobody but us can know that `z.object(…).strict()` has no effect of its own.
 */
const unusedSchemas = {
	name: 'unused-schemas',
	transform: {
		filter: { id: /\/core\/(?:[\w-]+-contract|used-for)\.ts$/ },
		handler: (code) => ({
			code: code.replace(/\b(z|\w+Schema)(?=\s*\.(?!infer|input))/g, '/* @__PURE__ */ $1'),
			map: null,
		}),
	},
};

export default {
	input: Object.fromEntries(names.map((name) => [name, `${name}.ts`])),
	platform: 'node',
	// Whatever is not a path is n8n's or Node's own.
	external: /^[^./]/,
	plugins: [unusedSchemas],
	output: {
		dir: 'dist',
		format: 'cjs',
		strict: true,
		entryFileNames: '[name].js',
		chunkFileNames: 'nodes/[name].js',
		generatedCode: { symbols: false },
		codeSplitting: { groups: [{ name: 'common' }] },
	},
};
