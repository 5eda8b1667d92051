// The image's health check: exits with 0 if the local receiver answers. Separate from `main.ts` so
// that it starts quickly.
import http from 'node:http';
import https from 'node:https';

const { PORT = '8080', TLS_CERTIFICATE, TLS_CERTIFICATE_FILE } = process.env;
const isTls = Boolean(TLS_CERTIFICATE || TLS_CERTIFICATE_FILE);

const request = (isTls ? https : http).get({
	host: '127.0.0.1',
	port: PORT,
	path: '/healthz',
	timeout: 2_000,
	// Same machine, and the certificate names its public host.
	rejectUnauthorized: false,
});
request.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
request.on('timeout', () => process.exit(1));
request.on('error', () => process.exit(1));
