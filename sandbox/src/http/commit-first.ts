import type { NextFunction, Request, Response } from 'express';

/**
 * Persists changes before the first byte of a response leaves. If that fails, there is no response:
 * the connection ends, since the change has happened and an error would be wrong.
 */
export const commitFirst =
	({ commit }: { commit: () => void }) =>
	(_request: Request, response: Response, next: NextFunction): void => {
		const writeHead = response.writeHead.bind(response) as (...given: unknown[]) => Response;
		response.writeHead = (...given: unknown[]) => {
			try {
				commit();
			} catch {
				response.destroy();
			}
			return writeHead(...given);
		};
		next();
	};
