import { isUnknownAuthority } from '../shared/transport/authorities';
import { describeNetworkFailure } from '../shared/transport/networkFailure';
import { waitInWords } from '../shared/transport/waitInWords';
import type { RequestFailure } from '../shared/transport/serviceError';

/** Why a link gave no file. */
interface Failed {
	error: RequestFailure;
}

/** The host answered, or the link is unusable: asking again would give the same. */
export function unusable(reason: string, status: number | null = null): Failed {
	return failure(reason, { status, isLocal: true });
}

/** The host answered with another status. */
export function refused(status: number, header: unknown, host: string): Failed {
	const retryAfter = typeof header === 'string' ? header : null;
	const wait = waitInWords(retryAfter, Date.now());
	const advice = wait === null ? '' : ` Try again in ${wait}.`;
	return failure(`${host} answered with HTTP status ${status}.${advice}`, { status, retryAfter });
}

/** What came may be only a part; another try may bring all of it. */
export function incomplete(reason: string): Failed {
	return failure(reason, { code: 'INCOMPLETE' });
}

/**
 * The connection failed.
 *
 * @param hasOwnAuthority whether the credential has an authority of its own, which was tried as well
 */
export function unreached(thrown: unknown, host: string, hasOwnAuthority: boolean): Failed {
	const { code, message } = describeNetworkFailure(thrown);
	return failure(reasonFor({ code, message }, host, hasOwnAuthority), { code });
}

const CA_FIELD = '"CA Certificate (PEM)" of the credential';

function reasonFor(
	{ code, message }: Pick<RequestFailure, 'code' | 'message'>,
	host: string,
	hasOwnAuthority: boolean,
): string {
	if (isUnknownAuthority(code)) {
		return hasOwnAuthority
			? `The certificate of ${host} is neither from a public authority nor from the one in ${CA_FIELD}. Paste the certificate of its authority below the one that is there.`
			: `The certificate of ${host} is not from a known authority. Paste the certificate of the authority into ${CA_FIELD}.`;
	}
	if (/^Z_|BROTLI|ZSTD|^ERR__ERROR_FORMAT/.test(code ?? '')) {
		return `${host} marks the file as compressed, but it cannot be decompressed (${code}). Whoever runs the host has to correct the header "Content-Encoding". Until then, open the link in a browser.`;
	}
	if (message.includes('SSRF')) return `${host}: ${message}`;
	return `The connection to ${host} failed${code ? ` (${code})` : ''}.`;
}

function failure(reason: string, more: Partial<RequestFailure>): Failed {
	const message = 'The evidence could not be fetched from its link';
	return { error: { message, description: reason, code: null, status: null, ...more } };
}
