/** A server-sent event with its data read. */
export interface SandboxEvent<T = unknown> {
	/** What to resume after, or null. */
	id: string | null;
	/** Its kind; `message` if it has none. */
	event: string;
	data: T;
}

/** Yields the events of a stream as they arrive; leaving the loop closes the connection. */
export async function* readEvents(response: Response): AsyncGenerator<SandboxEvent> {
	const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
	let unread = '';
	try {
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			unread += value;
			const blocks = unread.split('\n\n');
			unread = blocks.pop() ?? '';
			for (const block of blocks) {
				const event = readEvent(block);
				if (event) yield event;
			}
		}
	} finally {
		await reader.cancel();
	}
}

/** Null for a block without data: a comment, or how long to wait before a new connection. */
function readEvent(block: string): SandboxEvent | null {
	const fields = new Map<string, string>();
	for (const line of block.split('\n')) {
		const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
		if (name !== '') fields.set(name, value);
	}
	const data = fields.get('data');
	if (data === undefined) return null;
	return {
		id: fields.get('id') ?? null,
		event: fields.get('event') ?? 'message',
		data: JSON.parse(data),
	};
}
