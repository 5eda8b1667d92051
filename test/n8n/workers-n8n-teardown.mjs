// After the files of a suite: each n8n ends with its worker, but for that of a run without workers.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export default () => {
	const folder = process.env.N8N_OF_WORKERS;
	for (const worker of readdirSync(folder)) {
		try {
			const { pid } = JSON.parse(readFileSync(join(folder, worker, 'running.json'), 'utf8'));
			process.kill(-pid, 'SIGKILL');
		} catch {
			// It has ended, or never started.
		}
	}
	rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
};
