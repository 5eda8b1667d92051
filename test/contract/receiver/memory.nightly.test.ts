// How much memory the receiver needs, as the README says it: with the most that large events can make
// of it, and V8 told what it works out by itself in a container of that size.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../n8n/folders.ts';
import { TOKEN, cleanUp, drained, temporaryFolder } from './harness.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { startProcess } from './process.ts';

jest.setTimeout(300_000);
afterEach(cleanUp);

const EVENTS = 120;
const SIZE = 900_000;
const PULLS = 4;

let server: PostgresServer | null = null;
afterAll(() => server?.stop());

const compose = parse(readFileSync(join(root, 'webhook-receiver/compose.yaml'), 'utf8')) as {
	services: { receiver: { mem_limit: string } };
};
const stated = Number.parseInt(compose.services.receiver.mem_limit, 10);

it.each(['SQLite', 'PostgreSQL'])(
	'%s: 120 events of 900 KB at once, pulled by several workflows, listed and shown',
	async (name) => {
		if (name === 'PostgreSQL') server = await startPostgres();
		const env = { ...(server && { DATABASE_URL: await server.freshDatabase() }) };
		// Half of it for objects that live long, as in a container.
		const receiver = await startProcess(temporaryFolder(), {
			...env,
			NODE_OPTIONS: `--max-old-space-size=${stated / 2} --max-semi-space-size=8`,
		});
		const keys = Array.from({ length: PULLS }, (_, n) => `n8n~flow-${n}~node~production`);
		for (const key of keys) await receiver.pull({}, { key });
		const post = (n: number) =>
			receiver.emit({ id: `e-${n}`, event: 'aes_sent', messageId: n, text: 'é'.repeat(SIZE / 2) });
		const answers = await Promise.all(Array.from({ length: EVENTS }, (_, n) => post(n)));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));

		const drain = async (key: string) => (await drained(receiver, { atOnce: 100 }, key)).length;
		const list = async () => (await receiver.events()).length;
		const counts = await Promise.all([...keys.map(drain), list()]);
		expect(counts).toEqual([...keys.map(() => EVENTS), EVENTS]);
		expect(await receiver.metrics()).toContain('receiver_events_total{outcome="accepted"} 120');
		expect((await fetch(receiver.url, { headers: { authorization: `Bearer ${TOKEN}` } })).ok).toBe(
			true,
		);
		expect(receiver.child.exitCode).toBeNull();
		expect(peakOf(receiver.child.pid)).toBeLessThan(stated);
	},
);

/** The most memory that a process has had, in MB. */
function peakOf(pid: number | undefined): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
