// Lint rules of everything that is not the pack itself: receiver, sandbox, tests, demo, scripts.
// The pack keeps n8n's stock rules (eslint.config.mjs), which would refuse Node's own modules here.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export const nodeConfig = tseslint.config(
	{ ignores: ['**/dist/**', '**/node_modules/**'] },
	js.configs.recommended,
	tseslint.configs.recommended,
	tseslint.configs.stylistic,
	{
		languageOptions: {
			globals: {
				AbortController: 'readonly',
				AbortSignal: 'readonly',
				Buffer: 'readonly',
				URL: 'readonly',
				URLSearchParams: 'readonly',
				clearInterval: 'readonly',
				clearTimeout: 'readonly',
				console: 'readonly',
				fetch: 'readonly',
				process: 'readonly',
				setImmediate: 'readonly',
				setInterval: 'readonly',
				setTimeout: 'readonly',
			},
		},
		rules: {
			'@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
			'@typescript-eslint/array-type': ['error', { default: 'array-simple' }],
			'@typescript-eslint/no-empty-function': 'off',
			eqeqeq: ['error', 'always', { null: 'ignore' }],
			// Packed into a spread, members escape the formatter and the check for members too many.
			'no-restricted-syntax': [
				'error',
				{
					selector:
						':matches(ObjectExpression > SpreadElement > ObjectExpression, SpreadElement > ArrayExpression)',
					message: 'Write the members out.',
				},
			],
		},
	},
	{
		// TypeScript knows which names exist, the DOM's included.
		files: ['**/*.ts'],
		rules: { 'no-undef': 'off' },
	},
);
