import type { NextFunction, Request, Response } from 'express';
import type { World } from '../world/world.ts';
import { worldReplaced } from './errors.ts';

type Era = Pick<World, 'era'>;

/** Notes the world that a request belongs to: a reset and a restore put another in its place. */
export const noteWorld =
	(world: Era) =>
	(_request: Request, response: Response, next: NextFunction): void => {
		response.locals.era = world.era;
		next();
	};

/**
 * Behind everything that a request waits for, so that it does nothing to a world it is not about: its
 * account, its letter, its customer are those of the one before.
 */
export function requireSameWorld(world: Era, response: Response): void {
	if (isSameWorld(world, response)) return;
	response.set('X-Sandbox-Fault', 'world-replaced');
	throw worldReplaced();
}

export const isSameWorld = (world: Era, response: Response): boolean =>
	response.locals.era === world.era;
