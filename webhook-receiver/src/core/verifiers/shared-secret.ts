import { equalInConstantTime } from '../fingerprint.ts';
import type { Verifier } from '../verify.ts';
import { headerText } from './read-headers.ts';

interface SharedSecretConfig {
	/** Any of them is accepted, so that secrets can be rotated. */
	secrets: readonly string[];
	/** Lower case. */
	header: string;
}

/** A secret sent as is. It covers neither body nor time: for services that offer nothing better. */
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

/** Compares with all of them, so that timing reveals nothing. */
export function anyEqual(given: string, expected: readonly string[]): boolean {
	return expected.map((one) => equalInConstantTime(given, one)).includes(true);
}
