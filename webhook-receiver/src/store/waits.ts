import type { WakeUp, WakeUpResult } from '../core/pull-contract.ts';
import type { StoredWait } from '../core/wait-contract.ts';
import type { WaitStore } from '../wait/wait-store.ts';
import { WAKE_UP_LEASE_MS, settledWait } from '../wait/wake-up-policy.ts';
import { withoutQuery } from '../core/without-query.ts';
import { claimDue } from './claim-due.ts';
import type { Db, Engine } from './engine.ts';
import { dropErased } from './erase-from-waits.ts';
import { refuseErased } from './record-rows.ts';
import type { Seals } from './seals.ts';
import { columnOf, insertInto, updateOf } from './statements.ts';
import { takeNews } from './wait-news.ts';
import {
	GATHER_STEP,
	afterNews,
	newMessages,
	newRow,
	readyNow,
	toStoredWait,
	toResume,
} from './wait-rows.ts';
import type { Access, WaitMessageRow, WaitRow } from './wait-rows.ts';

const PROGRESS = {
	...{ state: 'text', reason: 'text', due_at: 'bigint', gives_up_at: 'bigint' },
	...{ attempts: 'integer', last_result: 'text', updated_at: 'bigint' },
};

const insert = insertInto('waits', {
	...{ id: 'text', instance: 'text', target: 'text', sealed: 'text' },
	...{
		tracked_mail_goal: 'text',
		awaits: 'text',
		deadline: 'bigint',
		created_at: 'bigint',
		...PROGRESS,
	},
});
const update = updateOf('waits', { id: 'text' }, PROGRESS);

// A wait that is registered again meanwhile has another created_at.
const reseal = updateOf(
	'waits',
	{ id: 'text', created_at: 'bigint' },
	{ target: 'text', sealed: 'text' },
);
/** How many waits are re-encrypted in one transaction. */
const RESEAL_STEP = 200;

const insertMessages = insertInto('wait_messages', {
	...{ wait_id: 'text', position: 'integer', message_id: 'text', message_type: 'text' },
	...{ is_final: 'boolean', has_news: 'boolean' },
});
const WAKE_UPS = {
	...{ table: 'waits', key: 'id', at: 'due_at', where: `state = 'ready' AND instance = $3` },
};

const LOCKED =
	'This receiver does not have the encryption key that the wait was stored with: see ENCRYPTION_KEY.';

/** What executions are waiting for, and the wake-ups that result. */
export function waitsIn(database: Engine, seals: Seals): WaitStore {
	/** Null if no key decrypts it. */
	const accessOf = async ({ target, sealed }: WaitRow): Promise<Access | null> => {
		// Not encrypted yet, as in the first schema steps: a secret has no dot, a JWE has four.
		if (!sealed.includes('.')) return { resumeUrl: target, secret: sealed };
		return (await seals.open(sealed)) as Access | null;
	};
	return {
		async put(id, wait, now) {
			const { resumeUrl, secret } = wait;
			const sealed = await seals.seal({ resumeUrl, secret } satisfies Access);
			// In turn with the events: one being stored either sees this wait, or is committed before it,
			// so that the wait's first look finds it.
			return database.inTurn(async (tx) => {
				await refuseErased(tx, wait.messages?.map(({ messageId }) => messageId) ?? []);
				await remove(tx, [id]);
				await insert(tx, [newRow(id, wait, sealed, now)]);
				await insertMessages(tx, newMessages(id, wait));
				if (wait.consents !== undefined) tx.news.notices.add('polls');
				return (await read(tx, id)) as StoredWait;
			});
		},

		get: (id) => database.transaction((tx) => read(tx, id)),

		remove: (id) => database.transaction(async (tx) => (await remove(tx, [id])) > 0),

		restart(id, now) {
			return database.transaction(async (tx) => {
				const [wait] = await tx.rows<WaitRow>('SELECT * FROM waits WHERE id = $1 FOR UPDATE', [id]);
				if (wait === undefined) return null;
				// Events are not noted for a wait that is over.
				await tx.rows('UPDATE wait_messages SET has_news = true WHERE wait_id = $1', [id]);
				const next = readyNow(wait, await takeNews(tx, wait), now);
				const restarted = { ...next, attempts: 0, last_result: null, updated_at: now };
				await update(tx, [{ ...wait, ...restarted }]);
				tx.news.notices.add(`wake-ups ${wait.instance}`);
				return read(tx, id);
			});
		},

		gather(now) {
			return database.transaction(async (tx) => {
				const open = await tx.rows<WaitRow>(
					`SELECT * FROM waits WHERE state = 'open' AND due_at <= $1
					ORDER BY due_at LIMIT ${GATHER_STEP} FOR UPDATE SKIP LOCKED`,
					[now],
				);
				const looked: WaitRow[] = [];
				for (const wait of open) {
					const next = afterNews(wait, await takeNews(tx, wait), now);
					if (next.state === 'ready') tx.news.notices.add(`wake-ups ${wait.instance}`);
					looked.push({ ...wait, ...next, updated_at: now });
				}
				const hopeless = await tx.rows<WaitRow>(
					`SELECT * FROM waits WHERE state = 'ready' AND gives_up_at <= $1
					LIMIT ${GATHER_STEP} FOR UPDATE SKIP LOCKED`,
					[now],
				);
				const givenUp = hopeless.map((wait) => ({
					...{ ...wait, state: 'given-up' as const, updated_at: now },
				}));
				await update(tx, [...looked, ...givenUp]);
				await dropErased(tx, givenUp);
				return open.length === GATHER_STEP || hopeless.length === GATHER_STEP;
			});
		},

		async nextGather() {
			const [{ due, hopeless }] = (await database.rows(
				`SELECT (SELECT min(due_at) FROM waits WHERE state = 'open') AS due,
					(SELECT min(gives_up_at) FROM waits WHERE state = 'ready') AS hopeless`,
			)) as [{ due: number | null; hopeless: number | null }];
			if (due === null || hopeless === null) return due ?? hopeless;
			return Math.min(due, hopeless);
		},

		async claim(instance, most, now) {
			// Usually there is nothing, hence nothing to commit.
			const { nextAt } = await this.waiting(instance);
			if (nextAt === null || nextAt > now) return [];
			const claimed = await database.transaction(async (tx) => {
				const lease = { now, most, leaseMs: WAKE_UP_LEASE_MS, only: instance };
				const due: Array<{ sealed: string; resume: WakeUp['resume'] }> = [];
				for (const row of await claimDue<WaitRow>(tx, WAKE_UPS, lease)) {
					due.push({ sealed: row.sealed, resume: toResume(row, await messagesOf(tx, row.id)) });
				}
				return due;
			});
			const wakeUps: WakeUp[] = [];
			const locked: WakeUpResult[] = [];
			for (const { sealed, resume } of claimed) {
				const access = (await seals.open(sealed)) as Access | null;
				if (access !== null) wakeUps.push({ ...access, resume });
				else locked.push({ waitId: resume.waitId, outcome: 'failed', result: LOCKED });
			}
			await this.settle(locked, now);
			return wakeUps;
		},

		async reseal() {
			let locked = 0;
			let after = '';
			for (;;) {
				const rows = await database.rows<WaitRow>(
					`SELECT * FROM waits WHERE id > $1 AND substr(sealed, 1, ${seals.prefix.length}) <> $2
					ORDER BY id LIMIT ${RESEAL_STEP}`,
					[after, seals.prefix],
				);
				const opened = await Promise.all(
					rows.map(async (row) => ({ row, access: await accessOf(row) })),
				);
				const openable = opened.filter(({ access }) => access !== null);
				const resealed = openable.map(async ({ row, access }) => ({
					...{ ...row, target: withoutQuery(row.target) },
					sealed: await seals.seal(access as Access),
				}));
				const sealed = await Promise.all(resealed);
				if (sealed.length > 0) await database.transaction((tx) => reseal(tx, sealed));
				locked += rows.length - openable.length;
				const last = rows.at(-1);
				if (last === undefined) return locked;
				after = last.id;
			}
		},

		async settle(results, now) {
			if (results.length === 0) return;
			const byId = new Map(results.map((result) => [result.waitId, result]));
			await database.transaction(async (tx) => {
				// In a fixed order, so that two requests never deadlock.
				const rows = await tx.rows<WaitRow>(
					`SELECT * FROM waits WHERE id = ANY($1) AND state IN ('ready', 'given-up')
					ORDER BY id FOR UPDATE`,
					[[...byId.keys()]],
				);
				const settled = rows.flatMap((row) => {
					const next = settledWait(row, byId.get(row.id) as WakeUpResult, now);
					return next === null ? [] : [{ ...next, updated_at: now }];
				});
				await update(tx, settled);
				await dropErased(tx, settled);
				// The next due time has changed.
				for (const { id, instance } of settled) {
					if (byId.get(id)?.outcome === 'inProgress') continue;
					tx.news.notices.add(`wake-ups ${instance}`);
				}
			});
		},

		async waiting(instance) {
			const [found] = await database.rows(
				`SELECT count(*) AS count, min(due_at) FILTER (WHERE state = 'ready') AS "nextAt"
				FROM waits WHERE instance = $1 AND state IN ('open', 'ready')`,
				[instance],
			);
			return found as { count: number; nextAt: number | null };
		},
	};
}

/** Removes ended waits; returns how many. */
export async function cleanWaits(db: Db, before: number, most: number): Promise<number> {
	const ended = await columnOf<string>(
		db,
		`SELECT id FROM waits WHERE state IN ('resumed', 'over', 'given-up') AND updated_at < $1
		LIMIT $2`,
		[before, most],
	);
	return remove(db, ended);
}

async function read(db: Db, id: string): Promise<StoredWait | null> {
	const [row] = await db.rows<WaitRow>('SELECT * FROM waits WHERE id = $1', [id]);
	return row === undefined ? null : toStoredWait(row, await messagesOf(db, id));
}

async function messagesOf(db: Db, id: string): Promise<WaitMessageRow[]> {
	const rows = await db.rows<WaitMessageRow>(
		'SELECT * FROM wait_messages WHERE wait_id = $1 ORDER BY position',
		[id],
	);
	return rows;
}

async function remove(db: Db, ids: readonly string[]): Promise<number> {
	if (ids.length === 0) return 0;
	const rows = await db.rows('DELETE FROM waits WHERE id = ANY($1) RETURNING id', [ids]);
	await db.rows('DELETE FROM wait_messages WHERE wait_id = ANY($1)', [ids]);
	return rows.length;
}
