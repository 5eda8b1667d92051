import type { TLSSocket } from 'node:tls';
import type { NextFunction, Request, Response } from 'express';
import { serviceError } from './errors.ts';
import type { Account, Caller, RegisteredCertificate } from '../state/model.ts';
import type { Store } from '../state/store.ts';

/** Rule AUTH-03: a certificate may be used for a year from its first use. */
const CERTIFICATE_USE_MS = 365 * 86_400_000;

/** Rule AUTH-01: every request needs a known token. */
export const authenticate =
	(store: Store) =>
	(request: Request, response: Response, next: NextFunction): void => {
		const account = store.accountByToken(request.get('x-api-token') ?? '');
		if (!account) throw serviceError(401, 'unauthorized', 'The API token is missing or not known');
		const caller: Caller = { account, fingerprint: presentedFingerprint(request) };
		response.locals.caller = caller;
		next();
	};

export const callerOf = (response: Response): Caller => response.locals.caller as Caller;

/** Rules TYPE-01, TYPE-02, AUTH-03; records the certificate's first use. */
export function requireCertificate(store: Store, { account, fingerprint }: Caller, now: number) {
	const certificate = account.certificates.find((one) => one.fingerprint === fingerprint);
	const problem = fingerprint === null ? 'none was presented' : refusal(account, certificate, now);
	if (problem)
		throw serviceError(405, 'lre-must-use-mtls', `LRE needs a client certificate: ${problem}`);
	if (!certificate || certificate.firstUsedAt !== null) return;
	certificate.firstUsedAt = now;
	store.put('accounts', account);
}

/** Why a client certificate is rejected, or null. */
function refusal(
	account: Pick<Account, 'kyc'>,
	certificate: Pick<RegisteredCertificate, 'expiresAt' | 'firstUsedAt'> | undefined,
	now: number,
): string | null {
	if (!certificate) return 'the one presented is not registered with this account';
	if (!account.kyc) return 'identity verification of the sender is not complete';
	if (now >= certificate.expiresAt) return 'the one presented has expired';
	if (certificate.firstUsedAt !== null && now > certificate.firstUsedAt + CERTIFICATE_USE_MS)
		return 'the one presented was first used more than a year ago';
	return null;
}

export function presentedFingerprint(request: Request): string | null {
	const socket = request.socket as TLSSocket;
	if (!socket.encrypted) return null;
	// An empty object if the client presented no certificate; null once the connection was cut, which
	// does not keep requests that came along with the one before from being read.
	const presented = socket.getPeerCertificate() as { fingerprint256?: string } | null;
	return presented?.fingerprint256 ?? null;
}
