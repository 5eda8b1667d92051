/** A failed call; the message says what happened. */
export class SandboxError extends Error {
	/** The status of the answer, or null if there was none. */
	readonly status: number | null;
	/** The code of the answer: `not-found`, `conflict`, `E_VALIDATION_ERROR`; null if it has none. */
	readonly code: string | null;

	constructor(message: string, status: number | null, code: string | null, cause?: unknown) {
		super(message, { cause });
		this.name = 'SandboxError';
		this.status = status;
		this.code = code;
	}

	static of(operation: string, status: number, text: string): SandboxError {
		const { message, code } = read(text);
		const reason = message ?? 'the answer is not a sandbox’s; does the address lead to its page?';
		return new SandboxError(
			`The sandbox answered ${status} to ${operation}: ${reason}`,
			status,
			code ?? null,
		);
	}
}

export function unreachable(url: string, error: unknown): SandboxError {
	// What fetch itself throws says only that it failed.
	const { cause, message } = error as { cause?: { code?: string; message?: string } } & Error;
	const reason = cause?.code ?? cause?.message ?? message;
	const advice = 'Is it running, and is this the address of its page?';
	return new SandboxError(`No sandbox answers at ${url} (${reason}). ${advice}`, null, null, error);
}

function read(text: string): { message?: string; code?: string } {
	try {
		const { message, code } = JSON.parse(text) as Record<string, unknown>;
		return {
			...(typeof message === 'string' ? { message } : {}),
			...(typeof code === 'string' ? { code } : {}),
		};
	} catch {
		return {};
	}
}
