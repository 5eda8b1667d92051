import type { Row } from './row.ts';
import { claims } from './rows/claims.ts';
import { evidence } from './rows/evidence.ts';
import { INGEST_ROWS } from './rows/ingest.ts';
import { intoWorkflows } from './rows/into-workflows.ts';
import { LATENCY_ROWS } from './rows/latency.ts';
import { LETTER_ROWS } from './rows/letters.ts';
import { upload } from './rows/upload.ts';

/** In table order. */
export const ROWS: readonly Row[] = [
	...INGEST_ROWS,
	claims,
	intoWorkflows,
	...LATENCY_ROWS,
	...LETTER_ROWS,
	upload,
	evidence,
];
