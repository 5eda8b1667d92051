import { describeNetworkFailure } from './networkFailure';

/** Who vouches for a server: the authorities Node knows, or the one of the credential. */
type Authorities = 'public' | 'own';

const OTHER: Record<Authorities, Authorities> = { public: 'own', own: 'public' };

/** What fitted last, by origin. */
const fitting = new Map<string, Authorities>();

/**
 * Sends a request so that the credential's own authority counts beside the public ones. Node takes `ca` instead of
 * those, and a node can't list them, so they are tried in turn: a certificate from an unknown authority ends the TLS
 * handshake, before anything of the request leaves. So even a letter may be tried twice.
 *
 * @param ca the credential's authority
 * @param first what a server that was not asked before is more likely to need
 * @param send makes the request with these agent options; throws what n8n's helper throws
 */
export async function withEitherAuthority<T>(
	ca: string,
	{ url, first }: { url: string; first: Authorities },
	send: (agentOptions: { ca: string | undefined }) => Promise<T>,
): Promise<T> {
	const { origin } = new URL(url);
	const likely = fitting.get(origin) ?? first;
	const trying = (which: Authorities) => send({ ca: which === 'own' ? ca : undefined });
	return await trying(likely).catch(async (error: unknown) => {
		if (!isUnknownAuthority(describeNetworkFailure(error).code))
			return await Promise.reject(error as Error);
		const result = await trying(OTHER[likely]);
		fitting.set(origin, OTHER[likely]);
		return result;
	});
}

/** Whether a network's code says that none of the authorities that were asked knows the server's certificate. */
export function isUnknownAuthority(code: string | null): boolean {
	return /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code ?? '');
}
