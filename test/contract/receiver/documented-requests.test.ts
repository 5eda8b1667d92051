// Each request of the table in the documentation is answered by the part that it names.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../n8n/folders.ts';
import { cleanUp, start } from './harness.ts';

afterEach(cleanUp);

/** A method alone is one of the next path. */
function documented(): Array<[method: string, path: string]> {
	const page = readFileSync(join(root, 'webhook-receiver/docs/api.md'), 'utf8');
	const [, table = ''] = /^\| request .*\n((?:\|.*\n)+)/m.exec(page) ?? [];
	return table.split('\n').flatMap((row) => {
		const [, requests = ''] = row.split(/(?<!\\)\|/);
		const all = [...requests.matchAll(/`([A-Z]+)(?: (\S+?)(?:\?[^`]*)?)?`/g)];
		return all.map(([, method = '', path], place): [string, string] => {
			const named = path ?? all.slice(place).find(([, , next]) => next !== undefined)?.[2];
			return [method, named ?? ''];
		});
	});
}

it('every request of the table is known', async () => {
	const receiver = await start();
	const all = documented();
	expect(all.length).toBeGreaterThan(35);
	for (const [method, path] of all) {
		const body = method === 'POST' || method === 'PUT' ? {} : undefined;
		const id = path.startsWith('/waits') ? 'wait-0000-0000-0001' : '000000000001';
		const asked = path.replace(/\{\w+\}/, id);
		const answer = await fetch(`${receiver.url}${asked}`, {
			method,
			headers: {
				authorization: 'Bearer management-token-of-tests',
				'content-type': 'application/json',
			},
			body: body && JSON.stringify(body),
		});
		const text = path === '/backup' ? '' : await answer.text();
		await answer.body?.cancel().catch(() => undefined);
		const { code } = (text.startsWith('{') ? JSON.parse(text) : {}) as { code?: string };
		expect([method, path, code]).not.toEqual([method, path, 'not-found']);
	}
	expect((await receiver.manage('GET', '/nothing')).body.code).toBe('not-found');
});
