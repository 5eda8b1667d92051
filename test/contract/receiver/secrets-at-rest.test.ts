// What wakes an execution is secret: nobody finds it in a copy of the store, and it survives every change
// of the key. Both stores.
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WakeUp } from '../../../webhook-receiver/src/core/pull-contract.ts';
import {
	TOKEN,
	cleanUp,
	idOf,
	recordedLog,
	start,
	temporaryFolder,
	until,
	waitFor,
} from './harness.ts';
import { query, startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';

jest.setTimeout(60_000);

let postgres: PostgresServer;
beforeAll(async () => {
	postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());
afterEach(cleanUp);

const WAIT = 'wait-0000-0000-0001';
const SECRET = 'secret-of-this-wait-alone-0123456789';
const SIGNATURE = 'signature-by-which-n8n-resumes';
const RESUME_URL = `http://127.0.0.1:9/webhook-waiting/7?signature=${SIGNATURE}`;
const MESSAGE = idOf(1);
const [FIRST, SECOND] = ['first', 'second'].map((name) => `${name}-key-${'0'.repeat(32)}`);

type Receiver = Awaited<ReturnType<typeof start>>;

/** A place for a store that restarts find again, and all bytes that a thief of it has. */
interface Place {
	folder: string;
	env: Record<string, string>;
	bytes(receiver: Receiver): Promise<Buffer>;
}

const PLACES: Array<[string, () => Promise<Place>]> = [
	[
		'SQLite',
		async () => {
			const folder = temporaryFolder();
			const bytes = async (receiver: Receiver) => {
				const headers = { authorization: `Bearer ${TOKEN}` };
				const answer = await fetch(`${receiver.url}/backup`, { headers });
				return Buffer.concat([
					Buffer.from(await answer.arrayBuffer()),
					allIn(folder, (name) => !name.endsWith('.key')),
				]);
			};
			return { folder, env: {}, bytes };
		},
	],
	[
		'PostgreSQL',
		async () => {
			const folder = temporaryFolder();
			const url = await postgres.freshDatabase(folder);
			const bytes = async () => {
				await query(url, 'CHECKPOINT');
				return allIn(folder);
			};
			return { folder: temporaryFolder(), env: { DATABASE_URL: url }, bytes };
		},
	],
];

function allIn(folder: string, isWanted: (name: string) => boolean = () => true): Buffer {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile() && isWanted(entry.name));
	return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
}

const register = ({ manage }: Receiver, id = WAIT) =>
	manage(
		'PUT',
		`/waits/${id}`,
		waitFor({ now: Date.now }, [MESSAGE], { resumeUrl: RESUME_URL, secret: SECRET }),
	);

/** Pulls as n8n does until wake-ups come. */
async function wokenBy({ manage }: Receiver): Promise<WakeUp[]> {
	const pull = { holder: 'holder-of-tests', wants: null, atOnce: 0, settle: [], openMs: 0 };
	let wakeUps: WakeUp[] = [];
	await until(async () => {
		const { body } = await manage('POST', '/consumers/n8n~wake-ups~1/pull', pull);
		wakeUps = body.wakeUps as WakeUp[];
		return wakeUps.length > 0;
	}, 'wake-ups come');
	return wakeUps;
}

const opened = (receiver: Receiver) => receiver.emit({ event: 'aes_opened', messageId: MESSAGE });

describe.each(PLACES)('%s', (name, makePlace) => {
	let place: Place;
	beforeEach(async () => {
		place = await makePlace();
	});
	const run = async (key?: string, other?: string) => {
		const { logger, lines } = recordedLog();
		const keys = { ...(key && { ENCRYPTION_KEY: key }), ...(other && { ENCRYPTION_KEY_2: other }) };
		const env = { ...place.env, ...keys };
		return { lines, ...(await start({ folder: place.folder, env, dependencies: { logger } })) };
	};

	it('nothing that wakes an execution stands in it, before and after', async () => {
		const receiver = await run();
		const stored = await register(receiver);
		expect(stored.body.target).toBe('http://127.0.0.1:9/webhook-waiting/7');
		const hasSecrets = async () => {
			const bytes = await place.bytes(receiver);
			// What is there to be found: the bytes are the store's.
			expect(bytes.includes(WAIT)).toBe(true);
			return [SECRET, SIGNATURE].filter((secret) => bytes.includes(secret));
		};
		expect(await hasSecrets()).toEqual([]);
		await opened(receiver);
		const [wakeUp] = await wokenBy(receiver);
		expect(wakeUp).toMatchObject({ resumeUrl: RESUME_URL, secret: SECRET });
		expect(await hasSecrets()).toEqual([]);
	});

	it('a new key replaces the old one without a gap, which then opens nothing', async () => {
		const before = await run(FIRST);
		await register(before);
		await before.close();
		await (await run(SECOND, FIRST)).close();

		const old = await run(FIRST);
		expect(old.lines.join()).toContain('ENCRYPTION_KEY');
		await old.close();
		const after = await run(SECOND);
		await opened(after);
		expect(await wokenBy(after)).toMatchObject([{ resumeUrl: RESUME_URL, secret: SECRET }]);
	});

	it('without its key a wait is kept, says why nobody wakes it, and wakes once the key is back', async () => {
		const before = await run(FIRST);
		await register(before);
		await before.close();

		const without = await run(SECOND);
		expect(without.lines.join()).toMatch(/"executions":1.*ENCRYPTION_KEY/);
		// Others are none the worse.
		await register(without, `${WAIT}-b`);
		await opened(without);
		const woken = await wokenBy(without);
		expect(woken.map(({ resume }) => resume.waitId)).toEqual([`${WAIT}-b`]);
		const { body } = await without.manage('GET', `/waits/${WAIT}`);
		expect(body).toMatchObject({
			state: 'queued',
			lastResult: expect.stringMatching(/encryption key/),
		});
		await without.close();

		const back = await run(SECOND, FIRST);
		await until(async () => {
			const all = await wokenBy(back);
			return all.some(({ resume, secret }) => resume.waitId === WAIT && secret === SECRET);
		}, 'it wakes');
	});
});

describe('the key beside an embedded store', () => {
	it('is made once, for its owner alone, and gives way to one that is set', async () => {
		const folder = temporaryFolder();
		const file = join(folder, 'receiver.sqlite.key');
		const first = await start({ folder });
		await register(first);
		expect(statSync(file).mode & 0o777).toBe(0o600);
		const key = readFileSync(file, 'utf8');
		await first.close();
		const second = await start({ folder });
		expect(readFileSync(file, 'utf8')).toBe(key);
		await second.close();

		await (await start({ folder, env: { ENCRYPTION_KEY: FIRST } })).close();
		rmSync(file);
		const third = await start({ folder, env: { ENCRYPTION_KEY: FIRST } });
		await opened(third);
		expect(await wokenBy(third)).toMatchObject([{ secret: SECRET }]);
		expect(readdirSync(folder)).not.toContain('receiver.sqlite.key');
	});

	it.each(['', '\n', 'x'.repeat(31)])('is refused when it could be guessed: %j', async (key) => {
		for (const env of [undefined, { ENCRYPTION_KEY: FIRST }]) {
			const folder = temporaryFolder();
			const file = join(folder, 'receiver.sqlite.key');
			writeFileSync(file, key);
			await expect(start({ folder, env })).rejects.toThrow(
				`its key, ${file}, has under 32 characters. Put back the right one.`,
			);
		}
	});

	it('is not made where a key is set, and a half-written one is made again', async () => {
		const folder = temporaryFolder();
		await (await start({ folder, env: { ENCRYPTION_KEY: FIRST } })).close();
		expect(readdirSync(folder)).toEqual(['receiver.sqlite']);
		// As a machine that lost its power leaves it.
		writeFileSync(join(folder, 'receiver.sqlite.key.new'), 'hal');
		const receiver = await start({ folder });
		expect(readFileSync(join(folder, 'receiver.sqlite.key'), 'utf8')).toMatch(/^[\w-]{43}\n$/);
		await receiver.close();
	});
});

it('only its owner may read an embedded store', async () => {
	const { folder, emit } = await start();
	await emit({ event: 'aes_sent', messageId: 1 });
	const names = readdirSync(folder);
	expect(names).toContain('receiver.sqlite');
	const isOpen = (name: string) => (statSync(join(folder, name)).mode & 0o077) !== 0;
	expect(names.filter(isOpen)).toEqual([]);
});
