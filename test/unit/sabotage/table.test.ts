// The table of sabotage fits the sources as they are; the nightly run tries whether each is noticed.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../n8n/folders.ts';
import { broken } from '../../sabotage/break.ts';
import { TABLE } from '../../sabotage/table.ts';

it.each(TABLE)('$name: fits its place, and has its test', (one) => {
	const text = readFileSync(join(root, one.file), 'utf8');
	expect(broken(text, one)).not.toBe(text);
	expect(existsSync(join(root, `test/${one.test}.test.ts`))).toBe(true);
});

it('each break has a name of its own, and there are enough', () => {
	const names = TABLE.map(({ name }) => name);
	expect(names).toEqual([...new Set(names)]);
	expect(names.length).toBeGreaterThanOrEqual(40);
});
