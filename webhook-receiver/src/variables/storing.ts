import { z } from 'zod/v4';
import { duration, text } from './schemas.ts';

/** What is kept, where and how long. */
export const STORING = {
	DATABASE_FILE: {
		schema: text.default('./receiver.sqlite'),
		help: 'file of the embedded store (./receiver.sqlite)',
	},
	DATABASE_URL: {
		schema: text
			.refine((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url), {
				message: 'is not a URL of PostgreSQL',
			})
			.or(z.literal(''))
			.default(''),
		secret: true,
		help: 'postgres://user:password@host/database, to store there instead, several receivers at once',
	},
	DEDUP_WINDOW: {
		schema: duration.prefault('10m'),
		help: 'how long identical bodies without id and time are one event (10m)',
	},
	RETENTION: {
		schema: duration.prefault('30d'),
		help: 'how long events, settled batches, event ids and consumers that are away are kept (30d)',
	},
} as const;
