import type { EnvHttpProxyAgent } from 'undici';
import type { ReceiverConfig } from '../config/read-config.ts';
import { outgoing } from './outgoing.ts';

/** The delivery service, and who asks it. */
export interface ServiceConfig {
	/** Without a trailing slash. */
	url: string;
	token: string;
	/** PEM of the client certificate, or null to go without. */
	certificate: string | null;
	key: string | null;
	passphrase: string | null;
	/** PEM of the service's private CA, or null for the public ones. */
	ca: string | null;
}

const CONNECT_TIMEOUT_MS = 10_000;
const LARGEST_ANSWER = 256 * 1024;

/** Null: none is configured. */
export function serviceIn(config: ReceiverConfig): ServiceConfig | null {
	const { SERVICE_URL: url, SERVICE_TOKEN: token } = config;
	if (url === null || token === null) return null;
	return {
		url,
		token,
		certificate: config.SERVICE_CLIENT_CERTIFICATE,
		key: config.SERVICE_CLIENT_KEY,
		passphrase: config.SERVICE_CLIENT_PASSPHRASE,
		ca: config.SERVICE_CA.map(String).join('') || null,
	};
}

/** Connections to it, which hold it to its certificate and show ours. */
export function serviceAgent(
	{ certificate, key, passphrase, ca }: ServiceConfig,
	connections: number,
): EnvHttpProxyAgent {
	return outgoing({
		connections,
		maxResponseSize: LARGEST_ANSWER,
		connect: {
			timeout: CONNECT_TIMEOUT_MS,
			...(certificate !== null && { cert: certificate }),
			...(key !== null && { key }),
			...(passphrase !== null && { passphrase }),
			...(ca !== null && { ca }),
		},
	});
}

/** What an answer says; null if it is no JSON. */
export function jsonIn(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
