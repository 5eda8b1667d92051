// Runs before each test file: keeps n8n-core quiet, and out of the home folder.
import { join } from 'node:path';

process.env.N8N_LOG_LEVEL = 'silent';
// One folder per jest worker, since n8n-core writes its settings there at startup; the suites that share an
// n8n run beside others.
const { JEST_WORKER_ID: worker = 1, N8N_OF_WORKERS: beside = join(process.cwd(), '.local') } =
	process.env;
process.env.N8N_USER_FOLDER = join(beside, `n8n-core-${worker}`);
