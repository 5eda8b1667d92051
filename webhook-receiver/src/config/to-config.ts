import type { DedupConfig } from '../dedup.ts';
import type { Reading } from '../normalise.ts';
import type { RetentionConfig } from '../store/store.ts';
import type { Values } from '../variables.ts';
import type { AuthenticationConfig } from '../verifiers/create.ts';
import type { ServiceConfig } from '../watch/service.ts';
import type { WatcherConfig } from '../watch/watcher.ts';
import { crossFaults, readReading } from './cross-checks.ts';
import { toAuthentication } from './to-authentication.ts';

/** Everything `startReceiver` needs to know. */
export interface ReceiverConfig {
	host: string;
	/** 0 takes a free one. */
	port: number;
	/** PEM, or null to serve plain HTTP. */
	tls: {
		certificate: string;
		key: string;
		/** Whether clients are asked for a certificate, and who issues those (any, when null). */
		asksForCertificate: boolean;
		clientCa: string | null;
	} | null;
	/** Addresses and networks whose forwarding headers are believed. */
	trustedProxies: readonly string[];
	/** Of PostgreSQL, or null for the embedded store in `databaseFile`. */
	databaseUrl: string | null;
	databaseFile: string;
	/** Several, so that one can be replaced without a gap. */
	managementTokens: readonly string[];
	ingest: AuthenticationConfig & {
		bodyLimitBytes: number;
		/** Requests a minute from one address; 0 for no limit. */
		rateLimit: number;
		reading: Reading;
	};
	dedup: DedupConfig;
	retention: RetentionConfig;
	/** The service to poll and how, or null: nothing can be watched. */
	watching: (WatcherConfig & { service: ServiceConfig }) | null;
	/** How long a stop waits for requests under way. */
	stopTimeoutMs: number;
	/** Not ready while an event waits longer for an n8n that pulls; null for never mind. */
	readyBacklogMs: number | null;
	logLevel: string;
}

/** The configuration that the values make; null when there are faults, all of them listed. */
export function toConfig(values: Values, faults: string[]): ReceiverConfig | null {
	const authentication = toAuthentication(values);
	const reading = readReading(values, faults);
	faults.push(...crossFaults(values, authentication));
	if (faults.length > 0) return null;
	const hasTls = values.TLS_CERTIFICATE !== '';
	const tls = {
		certificate: values.TLS_CERTIFICATE,
		key: values.TLS_KEY,
		asksForCertificate: authentication.clientCertificate !== null,
		clientCa: values.INGEST_CLIENT_CA || null,
	};
	return {
		host: values.HOST,
		port: values.PORT,
		tls: hasTls ? tls : null,
		trustedProxies: values.TRUSTED_PROXIES,
		databaseUrl: values.DATABASE_URL || null,
		databaseFile: values.DATABASE_FILE,
		managementTokens: values.MANAGEMENT_TOKEN,
		ingest: {
			...authentication,
			bodyLimitBytes: values.BODY_LIMIT_BYTES,
			rateLimit: values.INGEST_RATE_LIMIT,
			reading,
		},
		dedup: { bodyWindowMs: values.DEDUP_WINDOW, keyRetentionMs: values.RETENTION },
		retention: { eventsMs: values.RETENTION },
		watching: toWatching(values),
		stopTimeoutMs: values.STOP_TIMEOUT,
		readyBacklogMs: values.READY_BACKLOG || null,
		logLevel: values.LOG_LEVEL,
	};
}

function toWatching(values: Values): ReceiverConfig['watching'] {
	if (values.SERVICE_URL === '') return null;
	return {
		service: {
			url: values.SERVICE_URL,
			token: values.SERVICE_TOKEN,
			certificate: values.SERVICE_CLIENT_CERTIFICATE || null,
			key: values.SERVICE_CLIENT_KEY || null,
			passphrase: values.SERVICE_CLIENT_PASSPHRASE || null,
			ca: values.SERVICE_CA || null,
		},
		pollsPerMinute: values.WATCH_RATE_LIMIT,
		delays: values.WATCH_DELAYS,
		limitMs: values.WATCH_LIMIT,
	};
}
