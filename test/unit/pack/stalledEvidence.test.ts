// A file that stops coming. The clock is set forward by minutes, which no real connection would take part
// in, so the stream is the test's own.
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { IExecuteFunctions } from 'n8n-workflow';

import { fetchEvidence } from '../../../nodes/DownloadEvidence/fetchEvidence.ts';

const MINUTE = 60_000;

/** Fetches what comes through the stream, from a host that announces so many bytes. */
function fetching(body: PassThrough, announced: number) {
	const context = {
		helpers: {
			httpRequest: async () => ({
				statusCode: 200,
				headers: { 'content-length': String(announced) },
				body,
			}),
			prepareBinaryData: buffer,
		},
		getNode: () => ({ credentials: { registeredDeliveryApi: {} } }),
		getCredentials: async () => ({ baseUrl: 'https://api.example' }),
		getExecutionCancelSignal: () => undefined,
	} as unknown as IExecuteFunctions;
	const source = {
		...{ url: 'https://files.example/1', fileName: '1.pdf' },
		renew: async () => 'https://files.example/1',
	};
	return fetchEvidence(context, source).then(
		() => 'fetched',
		(error: { error: { description: string } }) => error.error.description,
	);
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
	['after the headers', ''],
	['in mid-file', '%PDF-1.7 half of it'],
])('[EVID-03][N] a host that falls silent %s fails its item', async (_title, sent) => {
	const body = new PassThrough();
	body.write(sent);
	let outcome: string | null = null;
	void fetching(body, 64 * 1024).then((result) => (outcome = result));
	await jest.advanceTimersByTimeAsync(5 * MINUTE);
	expect(outcome).toBeNull();
	await jest.advanceTimersByTimeAsync(1_000);
	expect(outcome).toBe('The connection to files.example failed (ETIMEDOUT).');
	expect(body.destroyed).toBe(true);
});
