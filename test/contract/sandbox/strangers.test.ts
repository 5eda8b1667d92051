// Who gets nothing of what the control API and the pages show: tokens, keys, letters.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { ownSandbox } from './own.ts';

async function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
	const sent = request(url, { headers }).end();
	const [response] = (await once(sent, 'response')) as [IncomingMessage];
	response.resume();
	return response.statusCode;
}

it.each(['/', '/accounts', '/_sandbox/accounts', '/_sandbox/state'])(
	'%s is for its own name and its own page alone',
	async (path) => {
		const { pageUrl } = await ownSandbox();
		const url = `${pageUrl}${path}`;
		expect(await statusOf(url, {})).toBe(200);
		// A name of theirs that leads to this machine, and a page of theirs.
		expect(await statusOf(url, { host: 'rebound.example' })).toBe(403);
		expect(await statusOf(url, { origin: 'https://other.example' })).toBe(403);
		expect(await statusOf(url, { origin: 'http://localhost:1' })).toBe(403);
		expect(await statusOf(url, { 'sec-fetch-site': 'cross-site' })).toBe(403);
	},
);
