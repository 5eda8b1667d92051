// The compose files, without containers: nothing listens beyond the machine, our containers may do no more
// than they need, and what they set is what the receiver has. The suite images runs them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { variables } from '../../../webhook-receiver/src/config/variables.ts';
import { root } from '../../n8n/folders.ts';
import { builtServicesOf, runOf, servicesOf } from '../../images/compose.ts';

const FILES = [
	'demo/compose.yaml',
	'webhook-receiver/compose.yaml',
	'webhook-receiver/compose.queue.yaml',
];
const places = { secrets: '/secrets', volume: (name: string) => `/volumes/${name}` };
const ours = (file: string) =>
	builtServicesOf(file).map((name) => ({ name, ...runOf(file, name, places) }));

it.each(FILES)('%s: our containers are confined', (file) => {
	expect(ours(file).length).toBeGreaterThan(0);
	for (const { name, args } of ours(file)) {
		const flags = args.join(' ');
		expect([name, flags]).toEqual([name, expect.stringContaining('--read-only')]);
		expect([name, flags]).toEqual([name, expect.stringContaining('--cap-drop ALL')]);
		expect([name, flags]).toEqual([
			name,
			expect.stringContaining('--security-opt no-new-privileges'),
		]);
	}
});

it.each(FILES)('%s: the receiver knows what it is told, and has time to stop', (file) => {
	const receivers = ours(file).filter(({ name }) => name === 'receiver');
	expect(receivers).toHaveLength(1);
	const [{ args, graceSeconds }] = receivers;
	const names = args.flatMap((arg, n) => (args[n - 1] === '--env' ? [arg.split('=')[0]] : []));
	const unknown = names.filter((name) => !(name.replace(/_FILE$/, '') in variables.shape));
	expect(unknown).toEqual([]);
	expect(graceSeconds).toBeGreaterThan(20);
});

it('the image that prepares what one is to try has all that its scripts load', () => {
	const text =
		readFileSync(join(root, 'demo/Dockerfile'), 'utf8')
			.split(/^FROM /m)
			.at(-1) ?? '';
	const copied = [...text.matchAll(/^COPY ([^-]\S*) /gm)].map(([, from]) => from);
	const ignore = readFileSync(join(root, 'demo/Dockerfile.dockerignore'), 'utf8');
	const sent = [...ignore.matchAll(/^!(.+)$/gm)].map(([, from]) => from);
	const isIn = (places: string[], file: string) =>
		places.some((place) => file === place || file.startsWith(`${place}/`));
	const scripts = readdirSync(join(root, 'demo/try')).map((name) => join('demo/try', name));
	const loaded = new Set(scripts);
	// Types are gone by then.
	const imports = /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm;
	for (const file of loaded) {
		for (const [, path] of readFileSync(join(root, file), 'utf8').matchAll(imports))
			loaded.add(join(dirname(file), path));
	}
	expect(loaded.size).toBeGreaterThan(scripts.length);
	expect([...loaded].filter((file) => !isIn(copied, file) || !isIn(sent, file))).toEqual([]);
});

it('what one is to try publishes each port once, on loopback', () => {
	const ports = servicesOf('demo/compose.yaml').flatMap((name) => [
		...runOf('demo/compose.yaml', name, places).ports,
	]);
	expect(new Map(ports)).toEqual(
		new Map([
			[8443, 8443],
			[8025, 8025],
			[8080, 8080],
			[5678, 5678],
		]),
	);
	expect(ports).toHaveLength(4);
});
