// A target that takes everything and counts it, in a process of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Arrivals } from './sink.ts';
import { answer } from './worker.ts';

let requests = 0;
let events = 0;
let first = 0;
let last = 0;
let bytes = 0;
let skip = 0;

const EVENT = Buffer.from('"id":"evt_');

const server = createServer((request, response) => {
	request.on('data', (chunk: Buffer) => {
		bytes += chunk.length;
		// Only counted where batches are sent: a search costs less than reading JSON.
		for (let at = chunk.indexOf(EVENT); at !== -1; at = chunk.indexOf(EVENT, at + 1)) events++;
	});
	request.on('end', () => {
		if (requests++ === skip) first = performance.now();
		last = performance.now();
		response.writeHead(200, { 'content-length': 0 }).end();
	});
});
server.keepAliveTimeout = 60_000;

answer({
	listen: () =>
		new Promise<string>((resolve) => {
			server.listen(0, '127.0.0.1', () => {
				resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`);
			});
		}),
	arrivals: (): Arrivals => ({ requests, events, bytes, milliseconds: last - first }),
	reset: (unmeasured: number) => {
		skip = unmeasured;
		requests = events = bytes = 0;
		first = last = 0;
	},
});
