// Runs before each test file: keeps n8n-core quiet, and out of the home folder.
import { join } from 'node:path';

process.env.N8N_LOG_LEVEL = 'silent';
// One folder per jest worker, since n8n-core writes its settings there at startup.
const folder = `n8n-core-${process.env.JEST_WORKER_ID ?? 1}`;
process.env.N8N_USER_FOLDER = join(process.cwd(), '.local', folder);
