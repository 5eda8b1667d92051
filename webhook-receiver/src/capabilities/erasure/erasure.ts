import { Router } from 'express';
import type { Request } from 'express';
import { z } from 'zod/v4';
import type { Capability, Kernel } from '../../capability.ts';
import { LISTS, SUBJECTS } from '../../core/lists.ts';
import type { ListName } from '../../core/lists.ts';
import { total } from '../../http/counts.ts';
import { checkMessageId, readQuery } from '../../http/routes.ts';
import type { Learned } from '../../log/learn.ts';
import { RECOGNISED_MS, claimIn, isErased } from '../../log/record-rows.ts';
import type { Transaction } from '../../sql/engine.ts';
import type { DueWork } from '../../time/due-loop.ts';
import { eraseFromLog } from './erase-batches.ts';
import { erase } from './erase.ts';
import type { Erasable } from './erase.ts';

/** After the database failed to rewrite its files: there may be no room. */
const FAILED_REST_MS = 10 * 60_000;

const reference = z.string().min(1).max(500);
const referenceSchema = z.union(
	[
		z.object({ fileReference: reference }).strict(),
		z.object({ customerReference: reference }).strict(),
	],
	'name the letters by fileReference or by customerReference',
);

/** Erases letters, consents and customers wherever they are, and discards what comes of them later. */
export const erasure: Capability = {
	name: 'erasure',
	start: (kernel) => {
		const overtaken = { some: false };
		return {
			routes: erasureRoutes(kernel),
			changed: async (tx, learned) => {
				if (!(await eraseOvertaking(tx, learned))) return;
				overtaken.some = true;
				tx.notices.add('due');
			},
			lead: () => rewriter(kernel, overtaken),
		};
	},
};

/**
 * Rewrites the database's files after erasures, once for all that came while it rested: it lets others wait
 * for a thousandth of the time at most.
 */
function rewriter({ clock, database }: Kernel, overtaken: { some: boolean }): DueWork {
	let restsUntil = -Infinity;
	return async () => {
		const restMs = restsUntil - clock.elapsed();
		if (restMs > 0) return restMs;
		if (overtaken.some) await database.scrub();
		overtaken.some = false;
		restsUntil = clock.elapsed() + FAILED_REST_MS;
		const took = await database.rewrite();
		restsUntil = clock.elapsed() + 1_000 * took;
		return null;
	};
}

/** A letter that was erased before it had an id may get it after its first events: they go, too. */
async function eraseOvertaking(tx: Transaction, learned: readonly Learned[]): Promise<boolean> {
	const messageIds = learned.flatMap(({ before, row }) =>
		before !== null && row !== null && isErased(row) && !isErased(before) ? [row.subject] : [],
	);
	if (messageIds.length === 0) return false;
	await eraseFromLog(tx, { messageIds, listed: [] }, []);
	return true;
}

function erasureRoutes(kernel: Kernel): Router {
	const { clock, logger, registry } = kernel;
	const countErased = total(registry, 'erased', 'Letters erased');
	const router = Router();
	router.param('messageId', checkMessageId);

	const eraseAll = async (what: Erasable, kind: 'letters' | ListName): Promise<string[]> => {
		const erased = await erase(kernel, what, clock.now(), RECOGNISED_MS);
		kernel.wake();
		countErased(erased.length);
		logger.info({ [kind]: erased.length }, 'erased');
		return erased;
	};

	router.delete(['/letters', '/letters/:messageId'], async (request, response) => {
		// Neither log names the letters.
		response.locals.log = { path: '/letters' };
		const all = await eraseAll(readLetters(request), 'letters');
		const erased = all.filter((subject) => claimIn(subject) === null);
		response.json({ erased, withoutId: all.length - erased.length });
	});

	for (const list of LISTS) {
		router.delete(`/${list}/:id`, async (request, response) => {
			response.locals.log = { path: `/${list}` };
			const what = { [`${SUBJECTS[list]}Id`]: request.params.id.toLowerCase() } as Erasable;
			response.json({ erased: await eraseAll(what, list) });
		});
	}

	return router;
}

function readLetters(request: Request<{ messageId?: string }>): Erasable {
	const { messageId } = request.params;
	return messageId === undefined ? readQuery(request, referenceSchema) : { messageId };
}
