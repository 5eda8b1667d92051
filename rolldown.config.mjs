// Puts the pack's code into one minified file, and beside it one for each node and credential that n8n
// looks for: n8n loads all of them at its start, and a hundred files take it longer to find than to
// read. Types are checked, and icons brought, by `n8n-node build` before.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

import { minify } from '@swc/core';

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

/**
 * To 4 kB less than the bundler's own minifier. Without the names of functions and classes, 16 kB of what each
 * n8n reads at its start: what a stack trace means the source map of the release's commit tells, which is made
 * here and not published. It also drops marked schemas that the bundler has left.
 */
const minified = {
	name: 'minified',
	renderChunk: async (code) =>
		await minify(code, {
			ecma: 2022,
			toplevel: true,
			compress: { ecma: 2022, passes: 3 },
			mangle: true,
			format: { ecma: 2022, comments: false, ascii_only: true },
			sourceMap: true,
		}),
};

/** The lines of codex files and icons are for who reads their sources. */
const squeezed = {
	name: 'squeezed',
	writeBundle() {
		const squeeze = (file, change) => writeFileSync(file, change(readFileSync(file, 'utf8')));
		for (const node of n8n.nodes)
			squeeze(node.replace(/js$/, 'json'), (text) => JSON.stringify(JSON.parse(text)));
		for (const icon of readdirSync('dist/icons'))
			squeeze(`dist/icons/${icon}`, (text) => text.replace(/>\s+</g, '><'));
	},
};

export default {
	input: Object.fromEntries(names.map((name) => [name, `${name}.ts`])),
	platform: 'node',
	// Whatever is not a path is n8n's or Node's own.
	external: /^[^./]/,
	plugins: [unusedSchemas, minified, squeezed],
	output: {
		dir: 'dist',
		format: 'cjs',
		strict: true,
		entryFileNames: '[name].js',
		chunkFileNames: 'nodes/[name].js',
		generatedCode: { symbols: false },
		minify: false,
		sourcemap: 'hidden',
		codeSplitting: { groups: [{ name: 'common' }] },
	},
};
