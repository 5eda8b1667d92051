import { X509Certificate } from 'node:crypto';
import type { Credentials } from './authority.ts';
import type { RegisteredCertificate } from './model.ts';

/** A certificate as an account has it registered. */
export function registeredCertificate(credentials: Credentials): RegisteredCertificate {
	const { fingerprint256, validToDate } = new X509Certificate(credentials.certificate);
	return {
		...credentials,
		fingerprint: fingerprint256,
		expiresAt: validToDate.getTime(),
		firstUsedAt: null,
	};
}
