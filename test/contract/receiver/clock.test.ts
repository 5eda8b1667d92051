// The wall clock of a real receiver is set back and forth by an hour while it runs, and while it does
// not: nothing takes longer than its own pause.
import { KEY, cleanUp, later, temporaryFolder, until } from './harness.ts';
import { startProcess } from './process.ts';
import { HTTP_STORES } from './store-environment.ts';
import { pollService } from './watching/service.ts';

jest.setTimeout(120_000);
afterEach(cleanUp);

const HOUR = 3_600_000;
const WATCHED = '000000000777';
/** Far less than an hour, far more than any pause here. */
const PATIENCE_MS = 20_000;

type Receiver = Awaited<ReturnType<typeof startProcess>>;

function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), PATIENCE_MS);
		later(() => clearTimeout(timer));
		promise.then(resolve, reject);
	});
}

const metric = async (receiver: Receiver, name: string) => {
	const text = await (await fetch(`${receiver.url}/metrics`)).text();
	return Number(
		new RegExp(`^receiver_${name}(?:{consumer="${KEY}"})? (\\S+)$`, 'm').exec(text)?.[1],
	);
};

async function registerWait(receiver: Receiver, id: string, messageId: string) {
	const { status } = await receiver.manage('PUT', `/waits/${id}`, {
		...{ instance: 'sleeper', resumeUrl: 'http://127.0.0.1:9/', trackedMailGoal: 'opened' },
		...{ secret: 'secret-of-this-wait-and-no-other-one' },
		messages: [{ messageId, messageType: 'AES' }],
		deadline: new Date(Date.now() + 100 * HOUR).toISOString(),
	});
	expect(status).toBe(200);
}

const SLEEPER = { key: 'sleeper~process' };
const WANTS = { wants: { events: ['tracked_mail.opened' as const] } };

/** Puts something of every kind into a pause, with `step` in the middle; all must go on. */
async function goesOn(
	receiver: Receiver,
	polls: () => number,
	round: number,
	step: () => Promise<Receiver | void>,
) {
	const messageId = String(round).padStart(12, '0');
	const waitId = `wait-0000-0000-000${round}`;
	const nextBatch = async ({ pulled }: Receiver) => {
		for (;;) {
			const { batches } = await pulled({ ...WANTS, holdMs: 10_000 });
			if (batches.length > 0) return batches.map(({ id }) => id);
		}
	};
	const nextWakeUp = async ({ pulled }: Receiver) => {
		for (;;) {
			const { wakeUps } = await pulled({ wants: null, holdMs: 10_000 }, SLEEPER);
			if (wakeUps.length > 0) return wakeUps.map(({ id }) => id);
		}
	};
	const settle = async ({ pulled }: Receiver, ids: string[], outcome: 'nak' | 'term') =>
		pulled({ ...WANTS, settle: ids.map((batch) => ({ batch, outcome })), atOnce: 0 });
	const report = async ({ pulled }: Receiver, ids: string[], outcome: 'nak' | 'ack') =>
		pulled({ wants: null, wakeUps: ids.map((batch) => ({ batch, outcome })) }, SLEEPER);

	await registerWait(receiver, waitId, messageId);
	await receiver.emit({ event: 'aes_opened', messageId, id: `opened-${round}` });
	const refused = await nextBatch(receiver);
	const failed = await nextWakeUp(receiver);
	expect(failed).toHaveLength(1);
	await settle(receiver, refused, 'nak');
	await report(receiver, failed, 'nak');
	const dead = await metric(receiver, 'consumer_dead');
	const idle = { wants: { events: ['no.such'] }, holdMs: 3_000 };
	const held = receiver.pulled(idle, { key: 'n8n~idle' }).catch(() => undefined);
	await until(async () => (await metric(receiver, 'pulls_held')) === 1, 'it is held');
	const after = (await step()) ?? receiver;
	const polled = polls();

	await inTime(held, 'the end of a held pull');
	expect(await inTime(nextBatch(after), 'the batch that was refused')).toEqual(refused);
	expect(await inTime(nextWakeUp(after), 'the wake-up that failed')).toEqual(failed);
	await settle(after, refused, 'term');
	await report(after, failed, 'ack');
	const isCounted = async () => (await metric(after, 'consumer_dead')) === dead + 1;
	await inTime(until(isCounted, 'it is counted'), 'the metrics');
	await inTime(
		until(() => polls() > polled + 1, 'letters are polled'),
		'two polls',
	);
}

describe.each(HTTP_STORES)('on $name', (kind) => {
	async function startWatching() {
		const service = await pollService();
		service.messages.set(WATCHED, { status: 'SENT' });
		const env = {
			...(await kind.environment()),
			...service.env({ WATCH_DELAYS: '0s:1s' }),
		};
		const folder = temporaryFolder();
		const receiver = await startProcess(folder, env);
		await receiver.manage('PUT', `/watches/${WATCHED}`, { messageType: 'AES' });
		await receiver.pull({ ...WANTS, atOnce: 0 });
		const restart = (ahead: number) => startProcess(folder, env, ahead);
		return { receiver, restart, polls: () => service.polls.length };
	}

	it('goes on while the clock is set back, forth and back again', async () => {
		const { receiver, polls } = await startWatching();
		for (const [round, ahead] of [-HOUR, HOUR, 0].entries()) {
			await goesOn(receiver, polls, round, () => receiver.setClock(ahead));
		}
	});

	it('goes on when it starts after the clock was set back', async () => {
		const { receiver, restart, polls } = await startWatching();
		await goesOn(receiver, polls, 1, async () => {
			receiver.child.kill('SIGKILL');
			await receiver.exited;
			return restart(-HOUR);
		});
	});
});
