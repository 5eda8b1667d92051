import { nodeConfig } from '../eslint.shared.mjs';

export default [
	...nodeConfig,
	{
		// TypeScript checks these too (page/tsconfig.json), and knows what browsers have.
		files: ['page/*.js', 'sandbox/page/*.js'],
		rules: { 'no-undef': 'off' },
	},
];
