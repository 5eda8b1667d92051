import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** Members that would be secrets if anybody logged them. */
const SECRET_MEMBERS = ['secret', 'secrets', 'authorization', 'managementToken', 'headers'];

/** Structured logs, one JSON object a line, secrets never. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
	const options = {
		level,
		redact: { paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
	};
	return destination ? pino(options, destination) : pino(options);
}
