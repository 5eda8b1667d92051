import type { NextFunction, Request, Response } from 'express';
import type { World } from '../world/world.ts';

/**
 * Keeps what an answer tells before its first byte leaves. What cannot be kept is not answered: the
 * connection ends, since the change has happened and a refusal would be wrong.
 */
export const commitFirst =
	({ commit, report }: Pick<World, 'commit' | 'report'>) =>
	(_request: Request, response: Response, next: NextFunction): void => {
		const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => Response;
		response.writeHead = (...given: unknown[]) => {
			try {
				commit();
			} catch (error) {
				report(error);
				response.destroy();
			}
			return writeHead(...given);
		};
		next();
	};
