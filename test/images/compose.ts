// What a compose file says of a service, as arguments of podman: the suite runs what users would.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import { root } from '../n8n/pack.ts';

interface Service {
	environment?: Record<string, string>;
	secrets?: string[];
	volumes?: string[];
	read_only?: boolean;
	tmpfs?: string[];
	cap_drop?: string[];
	security_opt?: string[];
	stop_grace_period?: string;
}

/** Everything a service may say that is not about containers beside it. */
const ELSEWHERE = ['build', 'ports', 'expose', 'depends_on', 'deploy', 'restart'];

export interface Run {
	args: string[];
	graceSeconds: number;
}

/**
 * @param secrets folder with a file for each of the service's secrets
 * @param data folder that takes the place of the service's volume
 * @throws Error for a setting that is not understood, rather than run something else
 */
export function runOf(file: string, name: string, { secrets, data }: Record<string, string>): Run {
	const text = readFileSync(join(root, 'webhook-receiver', file), 'utf8');
	const { [name]: service } = (
		parse(text, { merge: true }) as { services: Record<string, Service> }
	).services;
	const { environment, stop_grace_period: grace = '10s', ...rest } = service;
	const args = [
		...Object.entries(environment ?? {}).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
		...(rest.secrets ?? []).flatMap((one) => [
			'--volume',
			`${secrets}/${one}:/run/secrets/${one}:ro`,
		]),
		...(rest.volumes ?? []).flatMap((one) => ['--volume', `${data}:${one.split(':')[1]}`]),
		...(rest.read_only ? ['--read-only'] : []),
		...(rest.tmpfs ?? []).flatMap((one) => ['--tmpfs', one]),
		...(rest.cap_drop ?? []).flatMap((one) => ['--cap-drop', one]),
		...(rest.security_opt ?? []).flatMap((one) => ['--security-opt', one.replace(':true', '')]),
	];
	const known = [
		...ELSEWHERE,
		'secrets',
		'volumes',
		'read_only',
		'tmpfs',
		'cap_drop',
		'security_opt',
	];
	const unknown = Object.keys(rest).filter((key) => !known.includes(key));
	if (unknown.length > 0) throw new Error(`${file}: nobody runs ${unknown.join(', ')} of ${name}.`);
	return { args, graceSeconds: Number(/^(\d+)s$/.exec(grace)?.[1]) };
}
