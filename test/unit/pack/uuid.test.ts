import { randomUUID } from 'node:crypto';

import { isUuid } from '../../../nodes/shared/fields/picker.ts';

const ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

it.each([ID, ID.toUpperCase(), '00000000-0000-0000-0000-000000000000', randomUUID()])(
	'[SEND-06][N] %s is a UUID',
	(text) => {
		expect(isUuid(text)).toBe(true);
	},
);

it.each([
	['nothing', ''],
	['no hyphens', ID.replaceAll('-', '')],
	['braces', `{${ID}}`],
	['a digit too few', ID.slice(0, -1)],
	['a digit too many', `${ID}0`],
	['a digit too many in front', `0${ID}`],
	['something before it', `x ${ID}`],
	['a line after it', `${ID}\n${ID}`],
	['a letter that is no digit', ID.replace('f', 'g')],
])('[SEND-06][N] with %s it is none', (_title, text) => {
	expect(isUuid(text)).toBe(false);
});
