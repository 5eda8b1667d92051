import { rememberLetters, withIds } from '../../../nodes/shared/items/rememberLetters.ts';

const id = (at: number) => String(at).padStart(12, '0');
const ids = (count: number) => Array.from({ length: count }, (_, at) => id(at));

it.each<[string, string, string[], string]>([
	['the first', '', [id(1)], id(1)],
	['several', '', [id(1), id(2)], `${id(1)} ${id(2)}`],
	['one more', id(1), [id(2)], `${id(1)} ${id(2)}`],
	['one that is there', `${id(1)} ${id(2)}`, [id(1)], `${id(1)} ${id(2)}`],
	['none', '', [], ''],
	['as many as n8n keeps', '', ids(19), ids(19).join(' ')],
	['more than n8n keeps', '', ids(1000), ids(19).join(' ')],
	['one more than n8n keeps', ids(19).join(' '), [id(99)], ids(19).join(' ')],
])('%s', (_title, known, added, value) => {
	expect(withIds(known, added)).toBe(value);
	expect(value.length).toBeLessThanOrEqual(255);
});

it('an n8n without custom data does no harm', () => {
	expect(() => rememberLetters({} as never, [id(1)])).not.toThrow();
});
