// The table of the interface in the documentation has each route, and nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import { createApp } from '../../../webhook-receiver/src/app.ts';
import { systemClock } from '../../../webhook-receiver/src/time/clock.ts';

interface Mounted {
	stack?: Array<{ route?: { path: string | string[]; methods: Record<string, boolean> } }>;
}

const anyName = (path: string) => path.replace(/:\w+|\{\w+\}/g, '{}').replace(/(?<=.)\/$/, '');

function routes(): string[] {
	const use = jest.spyOn(express.application, 'use');
	const config = { METRICS_TOKEN: [], TRUSTED_PROXIES: [] };
	const parts = { config, clock: systemClock, store: {} };
	const { stack } = createApp(parts as never).router;
	const mounted = use.mock.calls.map(([path, router]) =>
		typeof path === 'string' ? ([path, router] as const) : (['', path] as const),
	);
	use.mockRestore();
	return [['', { stack }] as const, ...mounted].flatMap(([prefix, router]) =>
		((router as Mounted).stack ?? []).flatMap(({ route }) =>
			[route?.path ?? []]
				.flat()
				.flatMap((path) =>
					Object.keys(route?.methods ?? {}).map(
						(method) => `${method.toUpperCase()} ${anyName(prefix + path)}`,
					),
				),
		),
	);
}

/** A method alone is one of the next path. */
function documented(): string[] {
	const page = readFileSync(join(__dirname, '../../../webhook-receiver/docs/api.md'), 'utf8');
	const [, table = ''] = /^\| request .*\n((?:\|.*\n)+)/m.exec(page) ?? [];
	return table.split('\n').flatMap((row) => {
		const [, requests = ''] = row.split(/(?<!\\)\|/);
		const all = [...requests.matchAll(/`([A-Z]+)(?: (\S+?)(?:\?[^`]*)?)?`/g)];
		return all.map(([, method, path], place) => {
			const named = path ?? all.slice(place).find(([, , next]) => next !== undefined)?.[2];
			return `${method} ${anyName(named ?? '')}`;
		});
	});
}

it('the table of the documentation has each route', () => {
	const isPage = (route: string) => /^[A-Z]+ \/($|page\/)/.test(route);
	const all = routes().filter((route) => !isPage(route));
	expect(all.length).toBeGreaterThan(25);
	expect([...new Set(documented())].sort()).toEqual([...new Set(all)].sort());
});
