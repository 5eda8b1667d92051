// Puts the pack's code into one minified file, and beside it one for each node and credential that n8n
// looks for: n8n loads all of them at its start, and a hundred files take it longer to find than to
// read. Types are checked, and icons brought, by `n8n-node build` before.
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
		handler: (code) => ({
			code: code.replace(/\b(z|\w+Schema)(?=\s*\.(?!infer|input))/g, '/* @__PURE__ */ $1'),
			map: null,
		}),
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
	plugins: [unusedSchemas, plainCodex],
	output: {
		dir: 'dist',
		format: 'cjs',
		strict: true,
		entryFileNames: '[name].js',
		chunkFileNames: 'nodes/[name].js',
		comments: false,
		generatedCode: { symbols: false },
		// Errors tell their class. What a stack trace calls a function, the source map of the same release
		// tells: it is made here and not published, since names are 15 kB of what each n8n reads at its start.
		minify: { compress: true, mangle: { keepNames: { class: true, function: false } } },
		sourcemap: 'hidden',
		codeSplitting: { groups: [{ name: 'common' }] },
	},
};
