// The files that start the receiver at a host: what they set is what it knows, and it starts with exactly
// that. The host itself, which can't be had here, is played by a folder and two secrets.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';

import { variables } from '../../../webhook-receiver/src/config/variables.ts';
import { root } from '../../n8n/folders.ts';
import { cleanUp } from './harness.ts';
import { startProcess } from './process.ts';
import { signedHeaders } from '../../support/signed-headers.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const dockerfile = read('webhook-receiver/Dockerfile');
const { version, scripts } = JSON.parse(read('webhook-receiver/package.json')) as {
	version: string;
	scripts: { start: string };
};

const SECRETS = {
	MANAGEMENT_TOKEN: 'made-by-the-host+/=1',
	INGEST_HMAC_SECRETS: 'made-by-the-host+/=2',
};

/** What matters of a host's file, whatever its form. */
interface Deployment {
	image: string;
	/** Variables whose values stand in the file. */
	env: Record<string, string>;
	/** Variables that the host or the user makes up. */
	secrets: string[];
	disk: string;
	health: string;
	port: number;
	instances: number;
	/** Whether it may be put to sleep. */
	sleeps: boolean;
	graceSeconds: number;
}

interface Render {
	services: Array<{
		type: string;
		runtime: string;
		image: { url: string };
		plan: string;
		numInstances: number;
		disk: { mountPath: string };
		healthCheckPath: string;
		maxShutdownDelaySeconds: number;
		envVars: Array<{ key: string; value?: string; generateValue?: boolean }>;
	}>;
}

function ofRender(): Deployment {
	const { services } = parseYaml(read('render.yaml')) as Render;
	expect(services.map(({ type, runtime }) => [type, runtime])).toEqual([['web', 'image']]);
	const [service] = services;
	const given = service.envVars.filter(({ generateValue }) => !generateValue);
	const env = Object.fromEntries(given.map(({ key, value }) => [key, value ?? '']));
	return {
		image: service.image.url,
		env,
		port: Number(env.PORT),
		disk: service.disk.mountPath,
		health: service.healthCheckPath,
		secrets: service.envVars.filter(({ generateValue }) => generateValue).map(({ key }) => key),
		instances: service.numInstances,
		// Only the free plan does, and it has no disk.
		sleeps: service.plan === 'free',
		graceSeconds: service.maxShutdownDelaySeconds,
	};
}

interface Fly {
	build: { image: string };
	env: Record<string, string>;
	mounts: Array<{ destination: string }>;
	http_service: {
		internal_port: number;
		auto_stop_machines: string;
		checks: Array<{ path: string }>;
	};
	kill_signal: string;
	kill_timeout: string;
}

function ofFly(): Deployment {
	const fly = parseToml(read('webhook-receiver/fly.toml')) as unknown as Fly;
	expect(fly.kill_signal).toBe('SIGTERM');
	const readme = read('webhook-receiver/README.md');
	const [, set] = /fly secrets set ([^`]+?)\n(?=fly|```)/.exec(readme) ?? [];
	return {
		image: fly.build.image,
		env: fly.env,
		port: fly.http_service.internal_port,
		disk: fly.mounts[0].destination,
		health: fly.http_service.checks[0].path,
		// The file can't make them; the README does.
		secrets: [...(set ?? '').matchAll(/([A-Z_]+)=/g)].map(([, name]) => name),
		// Said in the command that deploys: by itself Fly makes two.
		instances: /fly deploy --ha=false/.test(readme) ? 1 : 2,
		sleeps: fly.http_service.auto_stop_machines !== 'off',
		graceSeconds: Number.parseInt(fly.kill_timeout, 10),
	};
}

/** The Dockerfile's own settings. */
const IMAGE_ENV = Object.fromEntries(
	[...(/^ENV ((?:.*\\\n)*.*)/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)].map(
		([, name, value]) => [name, value],
	),
);

afterEach(cleanUp);

it('the image starts Node with the options of the start script', () => {
	const command = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]') as string[];
	const options = (words: string[]) => words.filter((word) => word.startsWith('--'));
	expect(options(command)).not.toEqual([]);
	expect(options(command)).toEqual(options(scripts.start.split(' ')));
});

describe.each([
	['Render', ofRender],
	['Fly.io', ofFly],
])('%s', (_, deployment) => {
	it('sets what the receiver has, and every secret that it needs', () => {
		const { env, secrets } = deployment();
		const names = [...Object.keys(env), ...secrets];
		expect(names.filter((name) => !(name in variables.shape))).toEqual([]);
		expect([...secrets].sort()).toEqual(Object.keys(SECRETS).sort());
	});

	it('runs one instance of this version that never sleeps, with its store on a disk', () => {
		const { image, disk, instances, sleeps, port, env } = deployment();
		expect(image).toMatch(new RegExp(`^ghcr\\.io/[\\w/-]+/receiver:${version}$`));
		expect(IMAGE_ENV.DATABASE_FILE).toMatch(new RegExp(`^${disk}/`));
		expect({ instances, sleeps }).toEqual({ instances: 1, sleeps: false });
		expect(port).toBe(Number(env.PORT));
		// From beyond its own machine.
		expect(IMAGE_ENV.HOST).toBe('0.0.0.0');
	});

	it('lets a stop end what is under way', () => {
		const longest = Number.parseInt(String(variables.shape.STOP_TIMEOUT.def.defaultValue), 10);
		expect(deployment().graceSeconds).toBeGreaterThan(longest);
	});

	it('the receiver starts with it, is ready, and takes a signed event', async () => {
		const { env, disk, health } = deployment();
		const folder = await mkdtemp(join(tmpdir(), 'host-disk-'));
		try {
			const receiver = await startProcess(folder, {
				...IMAGE_ENV,
				...env,
				...SECRETS,
				DATABASE_FILE: IMAGE_ENV.DATABASE_FILE.replace(disk, folder),
				// This machine is no host: other ports are taken, and it is not reached from elsewhere.
				HOST: '127.0.0.1',
				PORT: '0',
			});
			expect((await fetch(receiver.url + health)).status).toBe(200);
			const body = JSON.stringify({
				event: 'aes_sent',
				messageId: '1',
				timestamp: '2026-01-01T00:00:00Z',
			});
			const headers = signedHeaders(body, SECRETS.INGEST_HMAC_SECRETS);
			const answer = await fetch(`${receiver.url}/events`, { method: 'POST', headers, body });
			expect(answer.status).toBe(200);
			const { status } = await fetch(`${receiver.url}/events`, {
				headers: { authorization: `Bearer ${SECRETS.MANAGEMENT_TOKEN}` },
			});
			expect(status).toBe(200);
		} finally {
			await cleanUp();
			await rm(folder, { recursive: true, force: true });
		}
	});
});

it('the memory that it needs is stated alike wherever the image is set up', () => {
	const { services } = parseYaml(read('webhook-receiver/compose.yaml')) as {
		services: { receiver: { mem_limit: string } };
	};
	const stated = Number.parseInt(services.receiver.mem_limit, 10);
	expect(read('webhook-receiver/README.md')).toContain(`needs ${stated} MB of memory`);
	expect(read('webhook-receiver/compose.queue.yaml')).toContain(`mem_limit: ${stated}m`);
	expect(read('webhook-receiver/fly.toml')).toContain(`memory = "${stated}mb"`);
	expect(read('render.yaml')).toContain(`${stated} are enough`);
});
