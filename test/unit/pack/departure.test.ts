import { departureOf, isOfProxy, statusIn } from '../../../nodes/shared/transport/departure.ts';

const socket = { encrypted: true, secureConnecting: false, bytesWritten: 900 };
const request = { socket, getHeader: () => 700 };
const LENGTHS: Record<string, number> = { 'content-length': 901, '': 1 };
const failed = (more: object = {}) => ({
	isAxiosError: true,
	code: 'ECONNRESET',
	request,
	...more,
});
const wrapped = (cause: unknown) => ({ message: 'The service was not able…', cause: { cause } });

const stayed = { wasConnected: false, hasLeft: false };
const left = { wasConnected: true, hasLeft: true };
const half = { wasConnected: true, hasLeft: false };

// The real errors behind these are run in test/in-process/not-sent.test.ts.
it.each<[string, unknown, typeof left]>([
	['our own check of the credential', new Error('no token'), stayed],
	['nothing', undefined, stayed],
	['an execution stopped before it began', failed({ request: undefined }), stayed],
	['a name that is not found', failed({ request: { ...request, socket: null } }), stayed],
	[
		'a handshake that was not done',
		failed({ request: { ...request, socket: { ...socket, secureConnecting: true } } }),
		stayed,
	],
	[
		'a socket without TLS',
		failed({ request: { ...request, socket: { ...socket, encrypted: undefined } } }),
		stayed,
	],
	['a connection that broke later', failed(), left],
	['bytes that have not gone out', failed({ request: { ...request, getHeader: () => 901 } }), half],
	['as many as there are', failed({ request: { ...request, getHeader: () => 900 } }), left],
	[
		'the length among other headers',
		failed({ request: { ...request, getHeader: (name: string) => LENGTHS[name] } }),
		half,
	],
	['no length at all', failed({ request: { ...request, getHeader: () => undefined } }), left],
	['our certificate missing', failed({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }), half],
	['our certificate unknown', failed({ code: 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' }), half],
	['a host name that certificates are not for', failed({ code: 'ERR_TLS_CERT_ALTNAME' }), left],
	['a socket that is none', failed({ request: { ...request, socket: 'tls' } }), stayed],
	['a request without headers', failed({ request: { socket } }), left],
	['an error that is not of axios', { ...failed(), isAxiosError: 'yes' }, stayed],
	['an alert about something else', failed({ code: 'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR' }), left],
])('%s', (_, error, expected) => {
	expect(departureOf(error)).toEqual(expected);
	expect(departureOf(wrapped(error))).toEqual(expected);
});

// Run with a real proxy in test/in-process/await-outcome-sleep.test.ts.
it.each<[string, string, object, boolean]>([
	['a server of http', 'http://n8n.lan', { path: '/webhook-waiting' }, false],
	['a proxy that is asked for it', 'http://n8n.lan', { path: 'http://n8n.lan/webhook' }, true],
	['a server of https', 'https://n8n.lan', { path: '/', socket: { encrypted: true } }, false],
	['a proxy that refused to connect', 'https://n8n.lan', { path: '/', socket: {} }, true],
	['a proxy that closed', 'https://n8n.lan', { path: '/', socket: null }, true],
])('%s answered', (_, url, asked, expected) => {
	const error = failed({ request: asked, response: { status: 503 } });
	expect([isOfProxy(wrapped(error), url), statusIn(wrapped(error))]).toEqual([expected, 503]);
	expect([isOfProxy(new Error('none'), url), statusIn(new Error('none'))]).toEqual([false, null]);
});

it('looks for the error of axios under those around it, but not without end', () => {
	const under = (depth: number): unknown => (depth === 0 ? failed() : { cause: under(depth - 1) });
	expect(departureOf(under(4))).toEqual(left);
	expect(departureOf(under(5))).toEqual(stayed);
	const circle: Record<string, unknown> = {};
	circle.cause = circle;
	expect(departureOf(circle)).toEqual(stayed);
});
