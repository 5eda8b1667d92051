// n8n in a container, as n8n 3 runs nowhere else: the tests of the main way and of the editor take their n8n from
// an image, here one of the pinned version. Nightly: npm test -- images; n8n's newest: .github/workflows.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { root } from '../n8n/folders.ts';
import { describeOr } from '../support/skipped.ts';
import { podman, whyNoContainers } from '../support/podman.ts';
import { PINNED_N8N } from './images.ts';

const MAIN_WAY = {
	'a letter goes out, and its events come back': ['real-n8n', 'road'],
	'Await Outcome sleeps and is woken': ['real-n8n', 'await-outcome'],
	'Await Outcome sleeps over a restart': ['real-n8n', 'sleepers'],
	'the editor opens, and shows the nodes': ['browser', 'editor'],
};

describeOr(whyNoContainers())('n8n in a container', () => {
	it.each(Object.entries(MAIN_WAY))(
		'%s',
		async (_name, [suite, file]) => {
			const since = new Date().toISOString();
			const args = ['run', '--silent', 'jest', '--', '--selectProjects', suite, '--maxWorkers=1'];
			await promisify(execFile)('npm', [...args, `test/${suite}/${file}.test.ts`], {
				cwd: root,
				env: { ...process.env, N8N_IMAGE: PINNED_N8N },
			}).catch(({ stderr }: { stderr: string }) => {
				throw new Error(stderr);
			});
			const only = ['--stream=false', '--since', since, '--filter', 'event=start'];
			expect(await podman('events', ...only)).toContain(`(image=${PINNED_N8N}, name=n8n-`);
		},
		900_000,
	);
});
