// Imports go one way, and never in a circle, and a test enters by a door: .dependency-cruiser.mjs has the rules.
import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { root } from '../n8n/folders.ts';

const CODE = ['nodes', 'credentials', 'webhook-receiver/src', 'sandbox/src', 'test'];

interface Report {
	summary: {
		totalCruised: number;
		violations: Array<{ rule: { name: string }; from: string; to: string }>;
	};
}

function cruise(): Promise<Report> {
	const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
	const options = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json'];
	return new Promise((resolve, reject) => {
		const settings = { cwd: root, maxBuffer: 64 * 1024 * 1024 };
		execFile(process.execPath, [program, ...options, ...CODE], settings, (_, stdout, stderr) => {
			if (stdout === '') reject(new Error(stderr));
			else resolve(JSON.parse(stdout) as Report);
		});
	});
}

it('imports go one way, and never in a circle; tests enter by doors', async () => {
	const { totalCruised, violations } = (await cruise()).summary;
	expect(totalCruised).toBeGreaterThan(300);
	expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
});
