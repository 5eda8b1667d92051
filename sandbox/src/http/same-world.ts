import type { NextFunction, Request, Response } from 'express';
import { serviceError } from './errors.ts';

/** A world counts resets, each of which puts another in the place of the one before. */
interface Replaceable {
	generation: number;
}

/** Notes the world that a request belongs to. */
export const noteWorld =
	(world: Replaceable) =>
	(_request: Request, response: Response, next: NextFunction): void => {
		response.locals.generation = world.generation;
		next();
	};

/**
 * Behind everything that a request waits for, so that it does nothing to a world it is not about: its
 * account, its letter, its customer are those of the one before.
 */
export function requireSameWorld(world: Replaceable, response: Response): void {
	if (isSameWorld(world, response)) return;
	response.set('X-Sandbox-Fault', 'world-replaced');
	const why = 'The sandbox was reset while this request was under way';
	throw serviceError(503, 'world-replaced', why);
}

export const isSameWorld = (world: Replaceable, response: Response): boolean =>
	response.locals.generation === world.generation;
