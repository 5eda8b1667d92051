import { duration, integer, paces, text } from './schemas.ts';

/** Whether and how the statuses of letters are watched (design, section Outcomes). */
export const WATCHING = {
	SERVICE_URL: {
		schema: text
			.refine((url) => url === '' || isSafeUrl(url), 'is not an https URL (http: this host only)')
			.transform((url) => url.replace(/\/+$/, ''))
			.prefault(''),
		help: 'address of the delivery service, to watch the statuses of letters there',
	},
	SERVICE_TOKEN: {
		schema: text.default(''),
		secret: true,
		help: 'API token of the service, for watching',
	},
	SERVICE_CLIENT_CERTIFICATE: {
		schema: text.default(''),
		secret: true,
		help: 'PEM of the client certificate to show to the service, if it asks for one',
	},
	SERVICE_CLIENT_KEY: {
		schema: text.default(''),
		secret: true,
		help: 'PEM key of SERVICE_CLIENT_CERTIFICATE',
	},
	SERVICE_CLIENT_PASSPHRASE: {
		schema: text.default(''),
		secret: true,
		help: 'passphrase of SERVICE_CLIENT_KEY, if it has one',
	},
	SERVICE_CA: {
		schema: text.default(''),
		secret: true,
		help: 'PEM of a private authority of the service, instead of the public ones',
	},
	WATCH_RATE_LIMIT: {
		schema: integer(1, 60_000).prefault('600'),
		help: 'polls a minute, of all receivers on one database together (600)',
	},
	WATCH_DELAYS: {
		schema: paces.prefault('0s:1m,1h:10m,1d:1h,30d:6h'),
		help: 'age since the last change, and from there on the pause between polls (0s:1m,1h:10m,1d:1h,30d:6h)',
	},
	WATCH_LIMIT: {
		schema: duration.prefault('120d'),
		help: 'how long after its last change a letter is watched (120d)',
	},
} as const;

/** The token travels with every poll. */
function isSafeUrl(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const url = new URL(text);
	if (url.username !== '' || url.search !== '' || url.hash !== '') return false;
	return url.protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}
