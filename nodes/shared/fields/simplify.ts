import { field, readFlag } from './field';

/** n8n's usual field for how much of an answer to return. @param hint what is left out */
export const simplifyFieldWith = (hint: string) =>
	field(
		{
			displayName: 'Simplify',
			name: 'simplify',
			type: 'boolean',
			default: true,
			description: 'Whether to return a simplified version of the response instead of the raw data',
			hint,
		},
		readFlag,
	);
