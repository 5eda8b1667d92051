import fc from 'fast-check';
import { equalInConstantTime, sha256Hex } from '../../../webhook-receiver/src/core/fingerprint.ts';

it('is SHA-256 in hex', () => {
	expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
	expect(sha256Hex('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
});

it('[EVNT-04][R] two texts are equal, or not, whatever their lengths', () => {
	expect(equalInConstantTime('', '')).toBe(true);
	expect(equalInConstantTime('secret', 'secret ')).toBe(false);
	expect(equalInConstantTime('é', 'e\u0301')).toBe(false);
	fc.assert(
		fc.property(fc.string(), fc.string(), (left, right) => {
			expect(equalInConstantTime(left, left)).toBe(true);
			expect(equalInConstantTime(left, right)).toBe(left === right);
		}),
	);
});
