import { z } from 'zod/v4';
import { duration, integer, list, networks, text } from './schemas.ts';

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
		schema: list
			.refine((all) => all.length > 0, 'is required')
			.refine((all) => all.every(({ length }) => length >= 16), 'has one under 16 characters'),
		secret: true,
		help: 'bearer token of everything but POST /events, and login of the page; several, comma-separated, while one is replaced',
	},
	STOP_TIMEOUT: {
		schema: duration.prefault('20s'),
		help: 'how long a stop waits for requests under way (20s)',
	},
	READY_BACKLOG: {
		schema: duration.prefault('0s'),
		help: 'how long an event may wait for an n8n that pulls before /readyz fails, 0s for never (0s)',
	},
	LOG_LEVEL: {
		schema: z.enum(LEVELS, 'is not a level of pino').default('info'),
		help: 'trace, debug, info, warn, error, fatal or silent (info)',
	},
} as const;
