import { EnvHttpProxyAgent } from 'undici';

interface OutgoingOptions {
	/** Bytes of the largest answer that is read. */
	maxResponseSize: number;
	connections?: number;
	/** Milliseconds for a connection, and what its TLS takes. */
	connect?: { timeout?: number; cert?: string; key?: string; passphrase?: string; ca?: string };
}

/** Requests to this machine never go through a proxy: it would take the address for its own machine. */
const LOCAL = 'localhost 127.0.0.1 [::1]';

/** Connections to other servers, through the proxy of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
export function outgoing({ connect, ...options }: OutgoingOptions): EnvHttpProxyAgent {
	const { no_proxy: lower, NO_PROXY: upper = '' } = process.env;
	return new EnvHttpProxyAgent({
		...options,
		noProxy: `${lower ?? upper} ${LOCAL}`,
		connect,
		// Inside the tunnel that a proxy makes.
		requestTls: connect,
		connectTimeout: connect?.timeout,
	});
}
