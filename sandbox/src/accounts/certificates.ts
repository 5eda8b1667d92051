import { X509Certificate } from 'node:crypto';
import type { Credentials } from './authority.ts';
import type { RegisteredCertificate } from '../world/model.ts';

/** A certificate as registered with an account. */
export function registeredCertificate(credentials: Credentials): RegisteredCertificate {
	const { fingerprint256, validToDate } = new X509Certificate(credentials.certificate);
	return {
		...credentials,
		fingerprint: fingerprint256,
		expiresAt: validToDate.getTime(),
		firstUsedAt: null,
	};
}
