// One project a stage, so that each runs alone: npm run jest -- --selectProjects unit
const stage = (displayName) => ({
	displayName,
	testEnvironment: 'node',
	testMatch: [`<rootDir>/test/${displayName}/**/*.test.ts`],
	transform: {
		'^.+\\.[cm]?ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }],
	},
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.*/dist/', '<rootDir>/.local'],
	setupFiles: ['<rootDir>/test/support/environment.ts'],
	// Not in the folder for temporary files, which goes with each run.
	cacheDirectory: '<rootDir>/.local/jest',
});

// Its files have an n8n in turn, one for each worker of Jest's.
const sharingN8n = {
	globalSetup: '<rootDir>/test/n8n/workers-n8n-setup.mjs',
	globalTeardown: '<rootDir>/test/n8n/workers-n8n-teardown.mjs',
};

// The engine of the oldest n8n that the README claims, instead of the newest.
const oldest = '<rootDir>/.local/n8n-oldest/node_modules';
const onOldest = {
	moduleNameMapper: {
		'^(n8n-core|n8n-workflow|luxon|zod/v4|reflect-metadata)$': `${oldest}/$1`,
	},
};

// It has the files of `in-process` a second time, so it runs only where it is named: `npm run jest -- <file>`
// runs a file once, and without that engine.
const isNamed = (project) => process.argv.some((argument) => argument.endsWith(project));

/** @type {import('jest').Config} */
export default {
	testTimeout: 90_000,
	testSequencer: '<rootDir>/test/support/longest-first.mjs',
	projects: [
		...['unit', 'contract', 'in-process', 'faults', 'storm', 'browser', 'bench'].map(stage),
		{ ...stage('real-n8n'), ...sharingN8n },
		{ ...stage('oldest-n8n'), ...onOldest },
		// Needs another n8n of 2 GB.
		stage('upgrade'),
		stage('sabotage'),
		// Needs Debian's podman, buildah, runc and mmdebstrap, and root.
		stage('images'),
		// All tests of the nodes, on that engine.
		...(isNamed('in-process-oldest')
			? [{ ...stage('in-process'), ...onOldest, displayName: 'in-process-oldest' }]
			: []),
	],
};
