import type { Failure } from './serviceError';

/** Adds what an operation knows of a failure to what holds for its code everywhere. */
export function addAdvice(failure: Failure, line: string): Failure {
	const join = (text: string | undefined) => [text, line].filter(Boolean).join('\n');
	return { ...failure, description: join(failure.description), advice: join(failure.advice) };
}
