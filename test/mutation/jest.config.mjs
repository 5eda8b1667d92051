// The unit tests of one part, as the mutation tester runs them: in the copy of the project it works on.
import { fileURLToPath } from 'node:url';

import config from '../../jest.config.mjs';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

// Far from UTC, so that a time read in the machine's own zone is noticed.
process.env.TZ = 'Asia/Kathmandu';

/** @type {import('jest').Config} */
export default {
	...unit,
	testMatch: [`<rootDir>/test/unit/${process.env.MUTATION_PART}/**/*.test.ts`],
	// These read sources or wait for a server's time, and pass no pure file anything of their own.
	testPathIgnorePatterns: ['/unit/pack/ux/', '/published-keys\\.test\\.ts$'],
	// Looking for watchman costs each of a thousand runs a process.
	watchman: false,
	testTimeout: config.testTimeout,
	rootDir: fileURLToPath(new URL('../..', import.meta.url)),
	setupFiles: [...unit.setupFiles, '<rootDir>/test/mutation/steady-properties.ts'],
};
