import type { Row } from './row.ts';
import { evidence } from './rows/evidence.ts';
import { INGEST_ROWS } from './rows/ingest.ts';
import { intoWorkflows } from './rows/into-workflows.ts';
import { LATENCY_ROWS } from './rows/latency.ts';
import { LETTER_ROWS } from './rows/letters.ts';
import { scaleOut } from './rows/scale-out.ts';
import { upload } from './rows/upload.ts';

/** In table order. */
export const ROWS: readonly Row[] = [
	...INGEST_ROWS,
	scaleOut,
	intoWorkflows,
	...LATENCY_ROWS,
	...LETTER_ROWS,
	upload,
	evidence,
];
