// The unit suite alone, as the mutation tester runs it: in the copy of the project it works on.
import { fileURLToPath } from 'node:url';

import config from '../../jest.config.mjs';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

/** @type {import('jest').Config} */
export default {
	...unit,
	testTimeout: config.testTimeout,
	rootDir: fileURLToPath(new URL('../..', import.meta.url)),
	setupFiles: [...unit.setupFiles, '<rootDir>/test/mutation/steady-properties.ts'],
};
