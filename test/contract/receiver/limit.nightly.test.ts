// A limit of letters, with eight receivers on one PostgreSQL and ten thousand tries at once, of which some are
// killed: never one letter over.
import { LETTER, ME, claiming } from './claim-client.ts';
import { cleanUp, temporaryFolder } from './harness.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { startProcess } from './process.ts';

jest.setTimeout(600_000);

let server: PostgresServer | null = null;
afterEach(cleanUp);
afterAll(() => server?.stop());

const PROCESSES = 8;
const TRIES = 10_000;
const TOGETHER = 10;
const MOST = 777;

it('eight receivers, ten thousand tries, two kills: as many letters as allowed, and none more', async () => {
	server = await startPostgres();
	const env = { DATABASE_URL: await server.freshDatabase(), LETTER_LIMIT: `${MOST}/1d` };
	const begin = () => startProcess(temporaryFolder(), env);
	const receivers = await Promise.all(Array.from({ length: PROCESSES }, begin));
	let tried = 0;
	let limited = 0;
	const lane = async (index: number) => {
		while (tried < TRIES) {
			const first = tried;
			tried += TOGETHER;
			const claims = Array.from({ length: TOGETHER }, (_, n) =>
				claiming(`k-${first + n}`, ME, {
					leaseSeconds: 86_400,
					letter: LETTER,
				}),
			);
			const receiver = receivers[index];
			const answer = await receiver?.manage('PUT', '/claims', { claims }).catch(() => null);
			const told = (answer?.body.claims ?? []) as Array<{ state: string }>;
			limited += told.filter(({ state }) => state === 'limited').length;
			if (index < 2 && first > 1_000 * (index + 1) && receiver?.child.exitCode === null) {
				receiver.child.kill('SIGKILL');
				await receiver.exited;
				receivers[index] = await begin();
			}
		}
	};
	await Promise.all(receivers.map((_, index) => lane(index)));
	const summary = await receivers.at(-1)?.manage('GET', '/letters/summary');
	expect(summary?.body).toMatchObject({ total: MOST, outcomes: { leaving: MOST } });
	expect(limited).toBeGreaterThan(TRIES / 2);
});
