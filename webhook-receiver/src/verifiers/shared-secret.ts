import { equalInConstantTime } from '../fingerprint.ts';
import type { Verifier } from '../verify.ts';
import { headerText } from './read-headers.ts';

export interface SharedSecretConfig {
	/** Any of them is good, so that a secret can be rotated. */
	secrets: readonly string[];
	/** Lower case. */
	header: string;
}

/** A secret sent as it is. Says nothing about body or time: for services that offer no more. */
export function sharedSecretVerifier({ secrets, header }: SharedSecretConfig): Verifier {
	return {
		scheme: 'shared-secret',
		verify({ headers }) {
			const given = headerText(headers, header);
			if (given === '') return 'secret missing';
			return anyEqual(given, secrets) ? null : 'secret does not match';
		},
	};
}

/** Compares with all, so that the time taken does not tell which came close. */
export function anyEqual(given: string, expected: readonly string[]): boolean {
	return expected.map((one) => equalInConstantTime(given, one)).includes(true);
}
