import type { Db } from '../../sql/engine.ts';
import { columnOf } from '../../sql/statements.ts';

/** No more letters than this within a time, over all workflows. */
export interface LetterLimit {
	most: number;
	withinMs: number;
	/** As the operator wrote it. */
	text: string;
}

/** How many letters each limit still has room for; those of unknown outcome count. */
export async function roomIn(
	db: Db,
	limits: readonly LetterLimit[],
	now: number,
): Promise<Array<{ limit: LetterLimit; room: number }>> {
	const rooms: Array<{ limit: LetterLimit; room: number }> = [];
	for (const limit of limits) {
		const [count = 0] = await columnOf<number>(
			db,
			`SELECT count(*) FROM (
				SELECT 1 FROM records WHERE began_at > $1 AND claim IS NOT NULL LIMIT $2
			) AS counted`,
			[now - limit.withinMs, limit.most],
		);
		rooms.push({ limit, room: limit.most - count });
	}
	return rooms;
}
