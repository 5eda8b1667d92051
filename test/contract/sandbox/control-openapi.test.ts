import { ENDPOINTS } from '../../../sandbox/src/control/endpoints.ts';
import type { Endpoint } from '../../../sandbox/src/control/endpoint.ts';
import { control } from './client.ts';
import { controlDescription } from './control-described.ts';
import { ownSandbox } from './own.ts';

it('is served', async () => {
	const { json } = await control(await ownSandbox(), '/control-openapi.json', { method: 'GET' });
	expect(json).toEqual(controlDescription);
});

it.each((ENDPOINTS as Endpoint[]).map((endpoint) => [endpoint.id, endpoint] as const))(
	'%s: parameters are those of its path, and no name means two things',
	(_id, { path, params, query, body }) => {
		const inPath = Object.keys(params?.shape ?? {});
		expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
		const members = Object.keys((body as { shape?: object } | undefined)?.shape ?? {});
		const names = [...inPath, ...Object.keys(query?.shape ?? {}), ...members];
		expect(new Set(names).size).toBe(names.length);
	},
);
