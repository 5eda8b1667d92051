import type { Row } from './row.ts';
import { backlog } from './rows/backlog.ts';
import { evidence } from './rows/evidence.ts';
import { heldPulls } from './rows/held-pulls.ts';
import { INGEST_ROWS } from './rows/ingest.ts';
import { intoWorkflows } from './rows/into-workflows.ts';
import { LATENCY_ROWS } from './rows/latency.ts';
import { LETTER_ROWS } from './rows/letters.ts';
import { pack } from './rows/pack.ts';
import { sandbox } from './rows/sandbox.ts';
import { scaleOut } from './rows/scale-out.ts';
import { soak } from './rows/soak.ts';
import { storage } from './rows/storage.ts';
import { upload } from './rows/upload.ts';

/** In table order. */
export const ROWS: readonly Row[] = [
	...INGEST_ROWS,
	heldPulls,
	scaleOut,
	backlog,
	storage,
	intoWorkflows,
	...LATENCY_ROWS,
	...LETTER_ROWS,
	upload,
	evidence,
	pack,
	sandbox,
	soak,
];
