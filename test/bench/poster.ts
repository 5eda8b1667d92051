import { startWorker } from './worker.ts';

export interface PostOrder {
	url: string;
	body: string;
	requests: number;
	/** Requests under way at once. */
	concurrency: number;
}

export interface Poster {
	post(order: PostOrder): Promise<void>;
	stop(): Promise<void>;
}

/** Posts as fast as undici can by itself. */
export function startPoster(): Poster {
	const worker = startWorker(new URL('./poster-worker.ts', import.meta.url));
	return { post: (order) => worker.ask('post', order), stop: () => worker.stop() };
}
