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
});

/** @type {import('jest').Config} */
export default {
	testTimeout: 90_000,
	projects: ['unit', 'contract', 'in-process', 'faults', 'real-n8n', 'browser', 'bench'].map(stage),
};
