/**
 * Whether a stream begins with the text. Reads only the first chunks and puts them back, so that the stream
 * can be read from its beginning.
 */
export async function startsWith(stream: NodeJS.ReadableStream, text: string): Promise<boolean> {
	let start = Buffer.alloc(0);
	while (start.length < text.length) {
		const chunk = stream.read() as Buffer | string | null;
		if (chunk !== null) start = Buffer.concat([start, Buffer.from(chunk)]);
		else if (!(await hasMore(stream))) return false;
	}
	stream.unshift(start);
	return start.subarray(0, text.length).toString('latin1') === text;
}

function hasMore(stream: NodeJS.ReadableStream): Promise<boolean> {
	return new Promise((resolve, reject) => {
		const settle = (finish: () => void) => () => {
			for (const [event, listener] of Object.entries(listeners)) stream.off(event, listener);
			finish();
		};
		const listeners: Record<string, (...args: unknown[]) => void> = {
			readable: settle(() => resolve(true)),
			end: settle(() => resolve(false)),
			close: settle(() => resolve(false)),
			error: (error) => settle(() => reject(error as Error))(),
		};
		for (const [event, listener] of Object.entries(listeners)) stream.on(event, listener);
	});
}
