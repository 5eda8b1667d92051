// The first step of compose.yaml: at the first start it generates the secrets that receiver, sandbox and n8n share.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const [folder = '/shared'] = process.argv.slice(2);

for (const name of ['management-token', 'ingest-secret']) {
	const value = randomBytes(24).toString('hex');
	try {
		await writeFile(join(folder, name), value, { flag: 'wx', mode: 0o600 });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
	}
}
