import { Router } from 'express';
import type { RequestHandler } from 'express';
import type { ReceiverConfig } from '../config/read-config.ts';
import { HttpError } from '../core/http-error.ts';

/** What the bearer of a token may ask. The one of `MANAGEMENT_TOKEN` may ask everything. */
export type Role = 'management' | 'n8n' | 'operator' | 'backup' | 'metrics';

/** `use`: any. */
export type Method = 'get' | 'put' | 'post' | 'delete' | 'use';

/** The tokens, and whose they are. */
export function tokensOf(config: ReceiverConfig): Array<[Role, readonly string[]]> {
	return [
		['management', config.MANAGEMENT_TOKEN],
		['n8n', config.N8N_TOKEN],
		['operator', config.OPERATOR_TOKEN],
		['backup', config.BACKUP_TOKEN],
		['metrics', config.METRICS_TOKEN],
	];
}

/** An operator sees and mends everything, but does not carry the whole store away. */
const isAllowed = (own: Role, needed: Role) =>
	own === 'management' || own === needed || (own === 'operator' && needed !== 'backup');

/**
 * Lets requests through whose token has this role. The first of these that a request meets decides, so
 * exceptions come before the rule.
 */
export function only(needed: Role): RequestHandler {
	return (_request, response, next) => {
		const { role, isDecided } = response.locals as { role: Role; isDecided?: true };
		if (isDecided !== true && !isAllowed(role, needed)) {
			const message = `The token of the role ${role} may not ask this: it takes one of the role ${needed}, or MANAGEMENT_TOKEN.`;
			throw new HttpError(403, 'forbidden', message);
		}
		response.locals.isDecided = true;
		next();
	};
}

/** Lets requests through by the role that their route needs; an operator's where none is named. */
export function forRoles(named: ReadonlyArray<readonly [Role, Method, path: string]>): Router {
	const router = Router();
	for (const [role, method, path] of named) router[method](path, only(role));
	router.use(only('operator'));
	return router;
}
