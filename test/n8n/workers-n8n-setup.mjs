// Before the files of a suite: where its Jest workers keep the n8n that each of them has.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default () => {
	process.env.N8N_OF_WORKERS = mkdtempSync(join(tmpdir(), 'registered-delivery-workers-'));
};
