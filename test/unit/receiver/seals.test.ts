import fc from 'fast-check';
import { Seals } from '../../../webhook-receiver/src/wait/seals.ts';

const keys = fc.uniqueArray(fc.string({ minLength: 32, maxLength: 80 }), {
	minLength: 2,
	maxLength: 4,
});
const secrets = fc.dictionary(fc.string(), fc.string());

const sealsOf = (texts: readonly string[]) => new Seals(texts as [string, ...string[]]);

it('opens what any of its keys sealed, and nothing else', async () => {
	await fc.assert(
		fc.asyncProperty(keys, secrets, async ([key, ...others], value) => {
			const seals = sealsOf([key]);
			const sealed = await seals.seal(value);
			expect(sealed.startsWith(seals.prefix)).toBe(true);
			expect(await sealsOf([...others, key]).open(sealed)).toEqual(value);
			expect(await sealsOf(others).open(sealed)).toBeNull();
			expect(sealed.startsWith(sealsOf(others).prefix)).toBe(false);
		}),
	);
});

it('never seals alike twice, and shows nothing', async () => {
	const seals = sealsOf(['a key of thirty-two characters at least']);
	const value = { secret: 'in plain text' };
	const [one, other] = [await seals.seal(value), await seals.seal(value)];
	expect(one).not.toBe(other);
	const parts = one.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
	expect(parts.join()).not.toContain('plain');
});

it('does not open what was changed', async () => {
	const seals = sealsOf(['a key of thirty-two characters at least']);
	const sealed = await seals.seal({ secret: 'in plain text' });
	const parts = sealed.split('.');
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(0, 2, 3, 4),
			fc.nat(),
			fc.integer({ min: 1, max: 255 }),
			async (part, at, mask) => {
				const bytes = Buffer.from(parts[part], 'base64url');
				bytes[at % bytes.length] ^= mask;
				const changed = parts.with(part, bytes.toString('base64url')).join('.');
				expect(await seals.open(changed)).toBeNull();
			},
		),
	);
	for (const text of ['', 'no seal', 'a.b.c.d.e']) expect(await seals.open(text)).toBeNull();
});
