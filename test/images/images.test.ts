// The images as shipped, run as the compose files say. Nightly: npm test -- images.
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sendLetterAndFollow } from '../../demo/letter.ts';
import { sandboxClient } from '../../sandbox/src/client/client.ts';
import { withClients } from '../../sandbox/src/client/with-clients.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/src/sandbox.ts';
import type { Receiver } from '../../webhook-receiver/src/server.ts';
import { ENCRYPTION_KEY } from '../contract/receiver/harness.ts';
import { startPostgres } from '../contract/receiver/postgres-server.ts';
import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import type { Stack } from '../n8n/stack.ts';
import { startTemporaryStack } from '../n8n/temporary-stack.ts';
import { makeCertificate } from '../support/certificates.ts';
import { runOf, type Run } from './compose.ts';
import { imageOf, NODE } from './images.ts';
import { podman, remove, start, stop, whyNoContainers } from '../support/podman.ts';
import { untilHealthy } from './up.ts';
import { describeOr } from '../support/skipped.ts';

jest.setTimeout(600_000);

const COMPOSE = 'webhook-receiver/compose.yaml';
const TOKEN = 'management-token-of-the-suite';
const SECRET = 'ingest-secret-of-the-suite';

describeOr(whyNoContainers())('images', () => {
	let folder: string;
	let receiverImage: string;
	let sandboxImage: string;
	const containers = new Set<string>();

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'images-'));
		receiverImage = await imageOf('webhook-receiver/Dockerfile');
		sandboxImage = await imageOf('sandbox/Dockerfile');
	}, 900_000);
	afterEach(async () => {
		for (const id of containers) await remove(id);
		containers.clear();
	});
	afterAll(() => rm(folder, { recursive: true, force: true }));

	async function ownFolder(name: string): Promise<string> {
		const path = join(folder, name);
		await mkdir(path, { recursive: true });
		await chown(path, NODE, NODE);
		return path;
	}

	/** Files as a compose file's secrets. */
	async function secretFiles(values: Record<string, string>): Promise<string> {
		const path = await ownFolder(`secrets-${Object.keys(values).length}`);
		for (const [name, value] of Object.entries(values)) await writeFile(join(path, name), value);
		return path;
	}

	async function runContainer(args: readonly string[], image: string, command?: readonly string[]) {
		const id = await start(args, image, command);
		containers.add(id);
		return id;
	}

	const answers = async (url: string) => (await fetch(url).catch(() => null))?.ok === true;

	/** A receiver as in a compose file, on a port of its own. */
	async function runReceiver(run: Run, env: Record<string, string> = {}) {
		const port = env.PORT ?? String(await freePort());
		const more = { HOST: '127.0.0.1', PORT: port, ...env };
		const args = Object.entries(more).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
		const id = await runContainer([...run.args, ...args], receiverImage);
		await untilHealthy(id);
		return { id, url: `http://127.0.0.1:${port}`, port };
	}

	it('the images add little to what they are built on', async () => {
		const size = async (name: string) =>
			Number(await podman('image', 'inspect', '--format', '{{.Size}}', name)) / 1e6;
		const base = await size('docker.io/library/node:24-slim');
		const sizes = { receiver: await size(receiverImage), sandbox: await size(sandboxImage) };
		console.log(`base ${base.toFixed(0)} MB`, sizes);
		expect(sizes.receiver - base).toBeLessThan(40);
		expect(sizes.sandbox - base).toBeLessThan(80);
	});

	it('a letter goes through sandbox and receiver in containers, and n8n beside them', async () => {
		const secrets = await secretFiles({ 'management-token': TOKEN, 'ingest-secret': SECRET });
		const data = await ownFolder('receiver');
		const run = runOf(COMPOSE, 'receiver', { secrets, volume: () => data });
		let receiverId = '';
		const startReceiver = async (variables: Record<string, string>): Promise<Receiver> => {
			const { MANAGEMENT_TOKEN: token, INGEST_HMAC_SECRETS: hmac, ...env } = variables;
			// The image has a place of its own for it.
			delete env.DATABASE_FILE;
			await writeFile(join(secrets, 'management-token'), token);
			await writeFile(join(secrets, 'ingest-secret'), hmac);
			const { id, url } = await runReceiver(run, env);
			receiverId = id;
			const close = async () => expect(await stop(id, run.graceSeconds)).toBe(0);
			return { url, close };
		};
		const startSandbox = async (options: Partial<SandboxOptions>): Promise<Sandbox> => {
			const data = await ownFolder('sandbox');
			const [{ url, secret }] = options.webhooks as Array<{ url: string; secret: string }>;
			const id = await runContainer(
				['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--volume', `${data}:/data`],
				sandboxImage,
				[
					'--host',
					'127.0.0.1',
					'--folder',
					'/data',
					'--port',
					String(options.port),
					'--page-port',
					String(options.pagePort),
					'--webhook',
					url,
					'--webhook-secret',
					secret,
				],
			);
			const pageUrl = `http://localhost:${options.pagePort}`;
			await until('the sandbox', () => answers(`${pageUrl}/_sandbox/accounts`));
			const { accounts } = await sandboxClient(pageUrl)('GET /accounts');
			const caCertificate = await readFile(join(data, 'ca.pem'), 'utf8');
			const close = async () => expect(await stop(id, 10)).toBe(0);
			const serviceUrl = `https://localhost:${options.port}`;
			return { ...withClients({ url: serviceUrl, pageUrl, caCertificate, accounts }), close };
		};

		const stack: Stack = await startTemporaryStack({
			elsewhere: { sandbox: startSandbox, receiver: startReceiver },
		});
		try {
			const lines: string[] = [];
			const isWhole = await sendLetterAndFollow(stack, await stack.addExamples(), (line) =>
				lines.push(line),
			);
			expect([isWhole, lines]).toEqual([true, lines]);
			const before = await stack.receiverApi.events();
			expect(before.length).toBeGreaterThanOrEqual(3);
			const first = receiverId;
			await stack.restartReceiver();
			expect(receiverId).not.toBe(first);
			expect(await stack.receiverApi.events()).toEqual(before);
		} finally {
			await stack.close();
		}
	});

	it('the receiver of the queue is ready on PostgreSQL', async () => {
		const postgres = await startPostgres();
		try {
			const secrets = await secretFiles({
				'management-token': TOKEN,
				'ingest-secret': SECRET,
				'receiver-database-url': await postgres.freshDatabase(),
				'receiver-encryption-key': ENCRYPTION_KEY,
			});
			const run = runOf('webhook-receiver/compose.queue.yaml', 'receiver', { secrets });
			const { id, url } = await runReceiver(run);
			expect(await answers(`${url}/readyz`)).toBe(true);
			expect(await stop(id, run.graceSeconds)).toBe(0);
		} finally {
			await postgres.stop();
		}
	});

	it('is healthy with TLS as well, and unhealthy when it does not answer', async () => {
		const secrets = await secretFiles({ 'management-token': TOKEN, 'ingest-secret': SECRET });
		const data = await ownFolder('tls');
		const run = runOf(COMPOSE, 'receiver', { secrets, volume: () => data });
		const now = Date.now();
		const { certificate, key } = await makeCertificate(now - 60_000, now + 3_600_000);
		const { id, port } = await runReceiver(run, { TLS_CERTIFICATE: certificate, TLS_KEY: key });
		const status = await new Promise<number | undefined>((resolve, reject) => {
			https
				.get({ host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false })
				.on('response', (response) => resolve(response.resume().statusCode))
				.on('error', reject);
		});
		expect(status).toBe(200);
		const elsewhere = `PORT=${await freePort()}`;
		const check = ['node', 'webhook-receiver/src/check-health.ts'];
		await podman('exec', id, ...check);
		await expect(podman('exec', '--env', elsewhere, id, ...check)).rejects.toThrow();
	});
});
