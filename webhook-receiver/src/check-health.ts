// The image's health check: exits with 0 if the local receiver answers. Separate from `main.ts` so
// that it starts quickly.
import http from 'node:http';
import https from 'node:https';

const { HOST = '127.0.0.1', PORT = '8080', TLS_CERTIFICATE, TLS_CERTIFICATE_FILE } = process.env;
const isTls = Boolean(TLS_CERTIFICATE || TLS_CERTIFICATE_FILE);

/** What listens on all addresses listens on this one, too. */
const LOCAL: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const request = (isTls ? https : http).get({
	host: LOCAL[HOST] ?? HOST,
	port: PORT,
	path: '/healthz',
	timeout: 2_000,
	// The common agent would go through the proxy of the environment, with NODE_USE_ENV_PROXY.
	agent: false,
	// Same machine, and the certificate names its public host.
	rejectUnauthorized: false,
});
request.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
request.on('timeout', () => process.exit(1));
request.on('error', () => process.exit(1));
