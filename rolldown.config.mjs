// Puts the pack's code into one file for each node and credential, and one for what they share: n8n
// loads every node at its start, and a hundred files take it longer to find than to read. Minified,
// a third less is downloaded and parsed; functions and classes keep their names, so a stack trace
// still says where it comes from. Types are checked, and icons brought, by `n8n-node build` before.
import { readFileSync, writeFileSync } from 'node:fs';

const { n8n } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** `nodes/GetStatus/GetStatus.node` of `dist/nodes/GetStatus/GetStatus.node.js`. */
const names = [...n8n.nodes, ...n8n.credentials].map((file) =>
	file.slice('dist/'.length, -'.js'.length),
);

/**
 * Leaves out the schemas that only the receiver uses: making them at every start takes n8n as long as
 * all else here. Nobody but us can know that `z.object(…).strict()` has no effect of its own.
 */
const unusedSchemas = {
	name: 'unused-schemas',
	transform: {
		filter: { id: /\/core\/(?:[\w-]+-contract|used-for)\.ts$/ },
		handler: (code) =>
			code.replace(/\b(z|\w+Schema)(?=\s*\.(?!infer|input))/g, '/* @__PURE__ */ $1'),
	},
};

/** Exports by value: nothing here exports what changes later, and a getter each is 8 kB. */
const plainExports = {
	name: 'plain-exports',
	generateBundle(_, bundle) {
		const getter =
			/Object\.defineProperty\(exports,"(\w+)",\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;
		for (const chunk of Object.values(bundle))
			chunk.code = chunk.code.replace(getter, 'exports.$1=$2');
	},
};

/** Without the white space that the compiler has put into them. */
const plainCodex = {
	name: 'plain-codex',
	writeBundle() {
		for (const file of n8n.nodes.map((node) => node.replace(/js$/, 'json')))
			writeFileSync(file, JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))));
	},
};

export default {
	input: Object.fromEntries(names.map((name) => [name, `${name}.ts`])),
	platform: 'node',
	// Whatever is not a path is n8n's or Node's own.
	external: /^[^./]/,
	plugins: [unusedSchemas, plainExports, plainCodex],
	output: {
		dir: 'dist',
		format: 'cjs',
		strict: true,
		entryFileNames: '[name].js',
		chunkFileNames: 'nodes/[name].js',
		comments: false,
		generatedCode: { symbols: false },
		minify: { compress: true, mangle: { keepNames: true } },
		codeSplitting: { groups: [{ name: 'common', minShareCount: 2 }] },
	},
};
