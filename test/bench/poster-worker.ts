// Bare undici: the same bodies with the same concurrency, nothing signed, nothing kept.
import { createRequire } from 'node:module';
import type * as Undici from 'undici';
import type { PostOrder } from './poster.ts';
import { answer } from './worker.ts';

// The receiver's undici, which is not the one that other packages at the root bring.
const load = createRequire(new URL('../../webhook-receiver/src/post.ts', import.meta.url));
const { Agent, request } = load('undici') as typeof Undici;

answer({
	async post({ url, body, requests, concurrency }: PostOrder): Promise<void> {
		const dispatcher = new Agent();
		let left = requests;
		const lane = async () => {
			while (left-- > 0) {
				const headers = { 'content-type': 'application/json' };
				const response = await request(url, { method: 'POST', dispatcher, headers, body });
				await response.body.dump();
			}
		};
		await Promise.all(Array.from({ length: concurrency }, lane));
		await dispatcher.close();
	},
});
