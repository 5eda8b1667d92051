// demo/compose.yaml as users run it: n8n, receiver and sandbox know each other by service names, and are
// ready without a hand. Nightly: npm test -- images.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nApi } from '../n8n/api.ts';
import { until } from '../n8n/poll.ts';
import { ReceiverApi } from '../n8n/receiver-api.ts';
import { runOf } from './compose.ts';
import { PINNED_N8N } from './images.ts';
import { logs, podman, whyNoContainers } from '../support/podman.ts';
import { composeUp, type Up } from './up.ts';
import { describeOr } from '../support/skipped.ts';

jest.setTimeout(900_000);

const FILE = 'demo/compose.yaml';
describeOr(whyNoContainers())('everything to try', () => {
	let folder: string;
	let up: Up;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'try-'));
		up = await composeUp(FILE, folder);
	}, 1_200_000);
	afterAll(async () => {
		await up?.down();
		await rm(folder, { recursive: true, force: true });
	}, 120_000);

	const secret = (name: string) => readFile(join(folder, 'shared', name), 'utf8');
	const connect = async () => {
		const url = up.network.urlOf(5678);
		await until(
			'n8n to be ready',
			async () => {
				const [answer, state] = await Promise.all([
					fetch(`${url}/healthz/readiness`).catch(() => null),
					podman('inspect', '--format', '{{.State.Status}}', up.ids.n8n),
				]);
				if (state !== 'running') throw new Error(await logs(up.ids.n8n));
				return answer?.ok;
			},
			180,
		);
		return await N8nApi.connect(url);
	};
	const receiver = async () =>
		new ReceiverApi(up.network.urlOf(8080), await secret('management-token'));

	/** Runs the example and returns the types of the letter's events that started the other workflow. */
	async function sendAndFollow(api: N8nApi): Promise<string[]> {
		const before = new Set(await api.executionIds('follow-letters'));
		const sent = await api.run(await api.workflow('send-tracked-mail'));
		expect([sent.status, sent.error]).toEqual(['success', null]);
		const { messageId } = sent.output['Send Letter'][0].json;
		const types = new Set<string>();
		await until('all events of the letter', async () => {
			for (const id of await api.executionIds('follow-letters')) {
				if (before.has(id)) continue;
				before.add(id);
				const { output } = await api.finished(id);
				for (const { json } of output['Registered Delivery Trigger']) {
					if (json.messageId === messageId) types.add(String(json.type));
				}
			}
			return types.size >= 3;
		});
		return [...types].sort();
	}
	const EVENTS = ['tracked_mail.opened', 'tracked_mail.received', 'tracked_mail.sent'];

	it('runs the n8n that the pack is tested on', () => {
		expect(runOf(FILE, 'n8n', { volume: String }).image).toBe(PINNED_N8N);
	});

	it('makes its secrets, which only its user reads', async () => {
		for (const name of ['management-token', 'ingest-secret']) {
			expect(await secret(name)).toMatch(/^[0-9a-f]{48}$/);
			expect((await stat(join(folder, 'shared', name))).mode & 0o777).toBe(0o600);
		}
	});

	it('is ready: a letter goes out over verified TLS, and its events start the workflow', async () => {
		const api = await connect();
		expect((await api.workflow('follow-letters')).active).toBe(true);
		await (await receiver()).untilHeld('follow-letters', 1);
		expect(await sendAndFollow(api)).toEqual(EVENTS);
	});

	it('an example archives into a folder that stays', async () => {
		const api = await connect();
		const archived = await api.run(await api.workflow('registered-letter-with-evidence'));
		expect([archived.status, archived.error]).toEqual(['success', null]);
		const { messageId } = archived.output['Send Letter'][0].json;
		expect((await readdir(join(folder, 'files'))).sort()).toEqual([
			`${String(messageId)}-ACCEPTED.pdf`,
			`${String(messageId)}-SENT.pdf`,
		]);
	});

	it('keeps all of it, and what the user changed, from start to start', async () => {
		const api = await connect();
		const workflow = await api.workflow('send-tracked-mail');
		await api.saveWorkflow({
			...workflow,
			settings: { ...workflow.settings, timezone: 'Europe/Paris' },
		});
		const token = await secret('management-token');
		const events = (await (await receiver()).events()).length;
		const codes = await up.down();
		expect(codes).toEqual({ n8n: 0, receiver: 0, sandbox: 0 });

		up = await composeUp(FILE, folder);
		const again = await connect();
		expect(await secret('management-token')).toBe(token);
		expect((await (await receiver()).events()).length).toBe(events);
		expect((await again.workflow('send-tracked-mail')).settings?.timezone).toBe('Europe/Paris');
		await (await receiver()).untilHeld('follow-letters', 1);
		expect(await sendAndFollow(again)).toEqual(EVENTS);
	});
});
