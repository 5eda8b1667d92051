import { z } from 'zod/v4';
import { duration, integer, networks, text } from './schemas.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Where and how the receiver listens. */
export const SERVING = {
	HOST: { schema: text.default('127.0.0.1'), help: 'address to listen on (127.0.0.1)' },
	PORT: { schema: integer(0, 65535).prefault('8080'), help: 'port to listen on, 0 for any (8080)' },
	TLS_CERTIFICATE: {
		schema: text.default(''),
		secret: true,
		help: 'PEM chain, to serve HTTPS itself instead of behind a proxy',
	},
	TLS_KEY: { schema: text.default(''), secret: true, help: 'PEM key of TLS_CERTIFICATE' },
	TRUSTED_PROXIES: {
		schema: networks.prefault(''),
		help: 'addresses and networks whose X-Forwarded-For and certificate header are believed (none)',
	},
	MANAGEMENT_TOKEN: {
		schema: text.min(16, 'is shorter than 16 characters'),
		secret: true,
		help: 'bearer token of everything but POST /events, and login of the page; at least 16 characters',
	},
	STOP_TIMEOUT: {
		schema: duration.prefault('20s'),
		help: 'how long a stop waits for requests under way (20s)',
	},
	READY_BACKLOG: {
		schema: duration.prefault('0s'),
		help: 'age of the oldest undelivered event from which /readyz fails, 0s for never (0s)',
	},
	LOG_LEVEL: {
		schema: z.enum(LEVELS, 'is not a level of pino').default('info'),
		help: 'trace, debug, info, warn, error, fatal or silent (info)',
	},
} as const;
