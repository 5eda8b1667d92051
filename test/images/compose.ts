// What a compose file says of a service, as arguments of podman: the suite runs what users would.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

import { root } from '../n8n/folders.ts';

type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

interface Service {
	image?: string;
	build?: { context: string; dockerfile: string };
	entrypoint?: string[];
	command?: string[];
	environment?: Record<string, string>;
	secrets?: string[];
	volumes?: string[];
	read_only?: boolean;
	tmpfs?: string[];
	cap_drop?: string[];
	security_opt?: string[];
	stop_grace_period?: string;
	ports?: string[];
	depends_on?: Record<string, { condition: Condition }>;
	expose?: string[];
	deploy?: object;
	restart?: string;
	mem_limit?: string;
}

/** Everything a service may say: what is not here is not run, so a test must not pass over it. */
const KNOWN: Array<keyof Service> = [
	...(['image', 'build', 'entrypoint', 'command', 'environment', 'secrets', 'volumes'] as const),
	...(['read_only', 'tmpfs', 'cap_drop', 'security_opt', 'stop_grace_period', 'ports'] as const),
	...(['depends_on', 'expose', 'deploy', 'restart', 'mem_limit'] as const),
];

export interface Run {
	/** A Dockerfile by its path from the root, or the name of an image that is not built here. */
	image: string;
	/** Of `podman run`, before the image. */
	args: string[];
	command: string[];
	graceSeconds: number;
	/** What must have happened to which other services. */
	after: Record<string, Condition>;
	/** Ports inside, by the ports on this machine's loopback. */
	ports: Map<number, number>;
}

/** The names of the services in the file. */
export function servicesOf(file: string): string[] {
	return Object.keys(read(file));
}

/** Of those, the ones whose images are built here. */
export function builtServicesOf(file: string): string[] {
	return servicesOf(file).filter((name) => read(file)[name].build);
}

/**
 * @param file from the root
 * @param places folders that take the place of secrets and of volumes
 * @throws Error for a setting that is not understood, rather than run something else
 */
export function runOf(
	file: string,
	name: string,
	places: { secrets?: string; volume?: (name: string) => string },
): Run {
	const { [name]: service } = read(file);
	const unknown = Object.keys(service).filter((key) => !KNOWN.includes(key as keyof Service));
	if (unknown.length > 0) throw new Error(`${file}: nobody runs ${unknown.join(', ')} of ${name}.`);
	const { stop_grace_period: grace = '10s', build, image = '', volumes = [] } = service;
	const each = (values: string[] | undefined, make: (value: string) => string[]) =>
		(values ?? []).flatMap(make);
	return {
		image: build ? join(dirname(file), build.context, build.dockerfile) : image,
		args: [
			...Object.entries(service.environment ?? {}).flatMap(([key, value]) => [
				'--env',
				`${key}=${value}`,
			]),
			...each(service.secrets, (one) => [
				'--volume',
				`${places.secrets}/${one}:/run/secrets/${one}:ro`,
			]),
			...each(volumes, (one) => ['--volume', mounted(one, places.volume)]),
			...(service.mem_limit ? ['--memory', service.mem_limit] : []),
			...(service.read_only ? ['--read-only'] : []),
			...each(service.tmpfs, (one) => ['--tmpfs', one]),
			...each(service.cap_drop, (one) => ['--cap-drop', one]),
			...each(service.security_opt, (one) => ['--security-opt', one.replace(':true', '')]),
			...(service.entrypoint ? ['--entrypoint', JSON.stringify(service.entrypoint)] : []),
		],
		command: service.command ?? [],
		graceSeconds: Number(/^(\d+)s$/.exec(grace)?.[1]),
		after: Object.fromEntries(
			Object.entries(service.depends_on ?? {}).map(([other, { condition }]) => [other, condition]),
		),
		ports: new Map(
			(service.ports ?? []).map((one) => {
				const [, outside, inside] = /^127\.0\.0\.1:(\d+):(\d+)$/.exec(one) ?? [];
				if (inside === undefined) throw new Error(`${file}: ${one} of ${name} is not on loopback.`);
				return [Number(outside), Number(inside)];
			}),
		),
	};
}

function read(file: string): Record<string, Service> {
	const text = readFileSync(join(root, file), 'utf8');
	return (parse(text, { merge: true }) as { services: Record<string, Service> }).services;
}

/** A named volume, in the folder that takes its place. */
function mounted(text: string, volume?: (name: string) => string): string {
	const [name, ...rest] = text.split(':');
	if (!volume || !/^\w+$/.test(name))
		throw new Error(`${text} is not a named volume with a place.`);
	return [volume(name), ...rest].join(':');
}
