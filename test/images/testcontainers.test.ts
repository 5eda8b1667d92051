// What the README shows for Testcontainers, against podman's own Docker API. Nightly: npm test -- images.
import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { installed, removeInstalled } from '../contract/pack/installed.ts';
import { readmeExample } from '../contract/sandbox/readme-examples.ts';
import { root } from '../n8n/folders.ts';
import { until } from '../n8n/poll.ts';
import { imageOf } from './images.ts';
import { podman, serviceCommand, serviceSettings, whyNoPublishedPorts } from '../support/podman.ts';
import { describeOr } from '../support/skipped.ts';

jest.setTimeout(300_000);

const run = promisify(execFile);
describeOr(whyNoPublishedPorts())('the image under Testcontainers', () => {
	let folder: string;
	let app: string;
	let service: ChildProcess;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'testcontainers-'));
		const image = await imageOf('sandbox/Dockerfile');
		const sandbox = await installed('sandbox');
		app = sandbox.app;
		await writeFile(join(app, 'package.json'), '{"type": "module"}');
		const registry = 'ghcr.io/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery';
		await podman('tag', image, `${registry}/sandbox:latest`);
		const module = 'node_modules/testcontainers';
		await symlink(join(root, module), join(app, module));
		const socket = join(folder, 'podman.sock');
		const [command = '', ...args] = serviceCommand(socket);
		const settings = join(folder, 'containers.conf');
		await writeFile(settings, serviceSettings);
		const env = { ...process.env, CONTAINERS_CONF: settings };
		service = spawn(command, args, { stdio: 'ignore', env });
		await until('podman to listen', () =>
			access(socket).then(
				() => true,
				() => false,
			),
		);
	}, 900_000);
	afterAll(async () => {
		if (service?.kill()) await once(service, 'exit');
		await removeInstalled();
		await rm(folder, { recursive: true, force: true });
	});

	async function runScript(code: string): Promise<string> {
		await writeFile(join(app, 'script.mjs'), code);
		const env = {
			PATH: process.env.PATH,
			DOCKER_HOST: `unix://${join(folder, 'podman.sock')}`,
			// Its helper that tidies up comes from a registry, which is not everywhere in reach.
			TESTCONTAINERS_RYUK_DISABLED: 'true',
		};
		const { stdout } = await run(process.execPath, ['script.mjs'], { cwd: app, env });
		return stdout;
	}

	it('starts as the README says, is trusted by its authority, and its links lead back to it', async () => {
		const printed = await runScript(`${readmeExample('container.mjs')}
			import { get } from 'node:https';
			import { json } from 'node:stream/consumers';

			try {
				const letters = [{ type: 'LS', email: 'never@mail.example' }];
				const { messages } = await control('POST /letters', { letters });
				const options = { ca, headers: { 'X-API-TOKEN': accounts[0].token } };
				const answer = await new Promise((resolve, reject) =>
					get('https://' + service + '/messages/' + messages[0].id, options, (response) =>
						resolve(json(response))).on('error', reject));
				const links = answer.evidences.map(({ url }) => new URL(url).host === service);
				console.log(JSON.stringify({ status: answer.status, links }));
			} finally {
				await container.stop();
			}`);
		expect(JSON.parse(printed)).toEqual({ status: 'SENT', links: [true] });
	});
});
