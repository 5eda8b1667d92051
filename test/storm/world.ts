// The processes of a storm: n8n, the receiver and the sandbox, and what lies between them. Everything
// here is put back by `heal`, whatever befell it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type PostgresServer } from '../contract/receiver/postgres-server.ts';
import { SILENT } from '../../webhook-receiver/src/core/claim-contract.ts';
import type { Letter as BookedLetter } from '../../webhook-receiver/src/core/letter-contract.ts';
import type { WaitView } from '../../webhook-receiver/src/core/wait-contract.ts';
import type { StoredWorkflow, WorkflowFile } from '../n8n/api.ts';
import type { StoredExecution } from '../n8n/executions.ts';
import type { N8nHost } from '../n8n/host.ts';
import { copyHome } from '../n8n/home.ts';
import { until } from '../n8n/poll.ts';
import { ReceiverApi } from '../n8n/receiver-api.ts';
import { RESELLER_CREDENTIAL, SERVICE_CREDENTIAL, Stack } from '../n8n/stack.ts';
import { startFileServer, type FileServer } from '../real-n8n/file-server.ts';
import { pemLines } from '../real-n8n/secrets.ts';
import { startForwardProxy, type ForwardProxy } from '../support/forward-proxy.ts';
import { signedHeaders } from '../support/signed-headers.ts';
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { byReceiver, type SandboxState } from '../support/sandbox.ts';
import { queueStore, rowsOf, sqliteStore, textsOf, type N8nStore } from './hosts.ts';
import { Parts, SERVICE_NAME } from './parts.ts';
import type { Letter, Sender } from './story.ts';
import type { Jump, Limited, ServedLetter } from './verdict.ts';
import { caller, following, mailing, type Shape } from './workflows.ts';

const ENCRYPTION_KEY = 'encryption-key-of-storms-and-of-nothing-else';
/** Milliseconds until a receiver that goes by the service's clock has heard of it. */
const HEARD_MS = 5_000;
/** Minutes after which a wait gives up: some do so amid the storm, and the last end it. */
export const DEADLINE_MINUTES = 1;
/** n8n starts within seconds, or within minutes on a machine that is busy. */
const PATIENCE = 240;

/** One n8n with the embedded store; or workers, two receivers, and PostgreSQL below all of them. */
export const KINDS = ['sqlite', 'queue'] as const;
export type Kind = (typeof KINDS)[number];

interface Setting {
	folder: string;
	kind: Kind;
	shape: Shape;
	n8nStore: N8nStore;
	/** Of the receivers, if they share one. */
	postgres: PostgresServer | null;
	/** Its address as they reach it: behind `postgresProxy`. */
	database: string | null;
	postgresProxy: TcpProxy | null;
	/** Of the receiver's file; null where none can be mounted. */
	disk: SmallDisk | null;
	/** Between n8n or the receivers and the service. */
	forwardProxy: ForwardProxy;
	/** Of the receivers: n8n's first one, and the operator's. */
	n8nToken: string;
	operatorToken: string;
}

export class World {
	readonly stack: Stack;
	readonly parts: Parts;
	/** Between n8n or the sandbox and the receiver. */
	proxy!: TcpProxy;
	readonly senders = new Map<Sender, StoredWorkflow>();
	/** The last that were to be sent, in one execution. */
	lastLetters: readonly Letter[] = [];
	/** All that follow events, also those unpublished again, by name. */
	readonly followers = new Map<string, { workflow: StoredWorkflow; isFromTheStart: boolean }>();
	/** Letters erased at the receiver, by id. */
	readonly erased = new Set<string>();
	/** All of whose letters were erased, by Customer Reference. */
	readonly erasedPeople = new Set<string>();
	/** Letters of unknown outcome that a person settled. */
	settled = 0;
	/** Times in which the receivers had a limit of letters. */
	readonly limits: Limited[] = [];
	/** Of the limit that they have now, how many letters may be at the service when it is over. */
	private most: number | null = null;
	private wavesLimited = 0;
	/** Events of batches that were dead and were handed out again, by sequence. */
	readonly handedOutAgain = new Set<number>();
	/** How many wake-ups were given up, and then started anew. */
	startedAnew = 0;
	/** When a receiver's clock was off. */
	readonly jumps: Jump[] = [];
	/** Marks of bodies that were posted to the receiver and got a 200. */
	readonly acceptedBodies = new Set<string>();
	/** Everything that must never be shown. */
	readonly secrets = new Set<string>();
	readonly setting: Setting;
	/** n8n's at the receiver, as it is now. */
	private n8nToken: string;
	/** Executions that were asked for: each writes the keys in another way. */
	private attempts = 0;
	/** Of the direct account, once it was replaced. */
	private certificate: object = {};
	private json!: FileServer;
	private workers: N8nHost[] = [];
	private isN8nUp = true;

	private constructor(setting: Setting, stack: Stack, parts: Parts) {
		this.setting = setting;
		this.n8nToken = setting.n8nToken;
		this.stack = stack;
		this.parts = parts;
	}

	/** Starts everything and publishes the workflows. */
	static async start(kind: Kind, shape: Shape, onStep: (step: string) => void): Promise<World> {
		const folder = await mkdtemp(join(tmpdir(), 'registered-delivery-storm-'));
		const setting = await startBelow(folder, kind, shape);
		const parts = new Parts(folder, environments(setting));
		await copyHome(join(folder, 'n8n'));
		const stack = new Stack({
			folder,
			elsewhere: parts,
			onStep,
			tarball: null,
			editor: false,
			n8nEnv: {
				...setting.n8nStore.env,
				...(kind === 'sqlite' && { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(shape.limit) }),
			},
			receiverEnv: {
				...proxied(setting.forwardProxy),
				LOG_LEVEL: 'info',
				// Nobody has the token that opens everything.
				MANAGEMENT_TOKEN: '',
				N8N_TOKEN: setting.n8nToken,
				OPERATOR_TOKEN: setting.operatorToken,
				CLOCK: shape.isRehearsal ? 'service' : 'system',
				// What has no webhooks is seen within seconds, since a storm lasts minutes.
				WATCH_DELAYS: '0s:2s',
				WATCH_RATE_LIMIT: '6000',
			},
		});
		const world = new World(setting, stack, parts);
		try {
			await world.begin();
			return world;
		} catch (error) {
			await world.close();
			throw error;
		}
	}

	get receiver(): ReceiverApi {
		return new ReceiverApi(this.stack.receiver.url, this.setting.operatorToken);
	}

	/** Sends letters by the published workflow, in one execution for each sender. Insists until n8n has taken them. */
	async send(letters: readonly Letter[]): Promise<void> {
		this.lastLetters = letters;
		if (this.most !== null && this.wavesLimited++ > 0) await this.liftLimit();
		for (const [sender, own] of Map.groupBy(letters, (letter) => letter.sender))
			await this.sendBy(sender, own);
	}

	private async sendBy(sender: Sender, letters: readonly Letter[]): Promise<void> {
		const attempt = this.attempts++;
		const rows = letters.map(({ spellings, ...letter }) => ({
			...letter,
			spelling: spellings[attempt % spellings.length],
		}));
		const body = JSON.stringify({ url: this.json.offer(rows) });
		await until(
			'n8n to take a mailing',
			async () => {
				const address = `${this.stack.n8n.url}/webhook/${pathOf(sender)}`;
				const headers = { 'content-type': 'application/json' };
				const answer = await fetch(address, { method: 'POST', headers, body }).catch(() => null);
				// While n8n starts it answers every path with 200 and other words.
				return (await answer?.text().catch(() => ''))?.includes('Workflow was started');
			},
			PATIENCE,
		);
	}

	/** In the order in which n8n created them. */
	async executions(...workflows: StoredWorkflow[]): Promise<StoredExecution[]> {
		const { n8nStore } = this.setting;
		const all = await Promise.all(workflows.map(({ id }) => n8nStore.executions(this.stack, id)));
		return all.flat().toSorted((left, right) => left.id - right.id);
	}

	/** Of the workflows that have Send Letter. */
	async mailings(): Promise<StoredExecution[]> {
		return await this.executions(this.sender('direct'), this.sender('reseller'));
	}

	sender(name: Sender): StoredWorkflow {
		return this.senders.get(name) as StoredWorkflow;
	}

	async takeN8nDown(how: 'kill' | 'stop'): Promise<void> {
		this.isN8nUp = false;
		await this.stack.n8n[how]();
	}

	async bringN8nUp(): Promise<void> {
		if (this.isN8nUp) return;
		await this.stack.startN8n();
		this.isN8nUp = true;
	}

	/** Kills one of the workers; another takes its place at once, as an orchestrator would see to. */
	async replaceWorker(by: number): Promise<void> {
		const { startWorker } = this.setting.n8nStore;
		if (startWorker === null) return;
		const index = by % this.workers.length;
		await this.workers[index].kill();
		this.workers[index] = await startWorker(this.stack);
	}

	/** Gives receiver and n8n another token, with both valid in between, as the README says. */
	async replaceToken(token: string): Promise<void> {
		this.secrets.add(token);
		await this.stack.restartReceiver({ N8N_TOKEN: token, N8N_TOKEN_2: this.n8nToken });
		this.n8nToken = token;
		await this.saveCredentials();
		await this.stack.restartReceiver({ N8N_TOKEN_2: '' });
	}

	/** Gives n8n a new client certificate; the old one stays registered. */
	async replaceCertificate(): Promise<void> {
		const { certificate, key } = await this.stack.sandbox.control(
			'POST /accounts/{name}/certificates',
			{ name: 'direct' },
		);
		for (const line of pemLines(key ?? '')) this.secrets.add(line);
		this.certificate = { clientCertificate: certificate, clientKey: key };
		await this.saveCredentials();
	}

	/** Sets the service's clock forth, and with it that of receivers that go by it. */
	async advance(ahead: number): Promise<void> {
		const from = Date.now();
		await this.stack.sandbox.control.advance(ahead);
		if (this.setting.shape.isRehearsal)
			this.jumps.push({ ahead, from, until: Date.now() + HEARD_MS });
	}

	/** @param ahead milliseconds, or behind if negative, which the service's clock never is */
	async setClock(index: number, ahead: number): Promise<void> {
		if (this.setting.shape.isRehearsal) return ahead > 0 ? this.advance(ahead) : undefined;
		const now = Date.now();
		if (ahead !== 0) this.jumps.push({ ahead, from: now, until: Infinity });
		await this.parts.setClock(index, ahead);
		if (ahead !== 0) return;
		for (const jump of this.jumps) jump.until = Math.min(jump.until, Date.now());
	}

	/** Posts a body as the service would, or without its signature. @param mark in each of its events */
	async postBody(body: string, mark: string, isSigned: boolean): Promise<void> {
		const { receiver, hmacSecret } = this.stack;
		const headers = signedHeaders(body, isSigned ? hmacSecret : 'a secret of their own');
		const answer = await fetch(`${receiver.url}/events`, { method: 'POST', headers, body }).catch(
			() => null,
		);
		if (answer?.status === 200) this.acceptedBodies.add(mark);
	}

	/** Erases a letter, as an operator does: until the receiver says that it is done. */
	async erase(messageId: string): Promise<void> {
		await this.insist('erased', () => this.receiver.call('DELETE', `/letters/${messageId}`));
		this.erased.add(messageId);
	}

	/** Asks a receiver that may be away until it answers, as people do. */
	private async insist<T>(what: string, ask: () => Promise<T>): Promise<T> {
		const look = () =>
			ask()
				.then((answer) => ({ answer }))
				.catch(() => null);
		return (await until(`the receiver to answer: ${what}`, look, PATIENCE)).answer;
	}

	/** Of the book that fit. */
	private async book(query = ''): Promise<BookedLetter[]> {
		return await this.insist('letters', () => this.receiver.all<BookedLetter>(`/letters${query}`));
	}

	/** Erases all letters of a person, as an operator does. */
	async erasePerson(person: string): Promise<void> {
		const query = `?customerReference=${encodeURIComponent(person)}`;
		const known = await this.book(query);
		this.erasedPeople.add(person);
		const { erased } = await this.insist('erased', () =>
			this.receiver.call<{ erased: string[] }>('DELETE', `/letters${query}`),
		);
		for (const id of [...erased, ...known.flatMap(({ messageId }) => messageId ?? [])])
			this.erased.add(id);
	}

	/** Allows so many more letters, and no more, until the wave after the next one. */
	async limit(more: number): Promise<void> {
		if (this.most !== null) return;
		const claimed = async () => (await this.book()).filter(({ claim }) => claim !== null).length;
		const most = (await claimed()) + 1 + more;
		await this.stack.restartReceiver({ LETTER_LIMIT: `${most}/365d` });
		// What had been claimed meanwhile may go as well.
		this.most = Math.max(most, await claimed());
		this.wavesLimited = 0;
	}

	async liftLimit(): Promise<void> {
		if (this.most === null) return;
		// Of what was erased nobody knows any more that it went.
		const gone = (await this.served()).filter(
			({ id, person }) => !this.erased.has(id) && !this.erasedPeople.has(person ?? ''),
		).length;
		this.limits.push({ most: this.most, gone });
		this.most = null;
		await this.stack.restartReceiver({ LETTER_LIMIT: '' });
	}

	/**
	 * Says of letters of unknown outcome what the service shows, as a person does who looks them up there.
	 *
	 * @param isIdle whether no n8n is sending; otherwise some may still be on their way
	 * @returns how many there were
	 */
	async settleUnknown(isIdle: boolean): Promise<number> {
		const unknown = await this.book('?outcome=unknown');
		const sure = unknown.filter(({ reason }) => isIdle || reason !== SILENT);
		const idBy = new Map((await this.served()).map(({ fileReference, id }) => [fileReference, id]));
		for (const { claim, fileReference } of sure) {
			const id = idBy.get(fileReference);
			// Somebody may have settled it meanwhile, or erased it.
			await (
				id === undefined
					? this.receiver.call('DELETE', `/claims/${claim}`)
					: this.receiver.call('POST', `/claims/${claim}/sent`, { messageIds: [id] })
			).catch(() => undefined);
		}
		this.settled += sure.length;
		return unknown.length;
	}

	/** The sandbox's letters with their history. */
	async served(): Promise<ServedLetter[]> {
		const answer = await fetch(`${this.stack.sandbox.pageUrl}/_sandbox/state`);
		const { accounts, messages } = (await answer.json()) as SandboxState;
		const names = new Map(accounts.map(({ id, name }) => [id, name]));
		return messages.map((letter) => ({
			id: letter.id,
			type: letter.type,
			fileReference: letter.fileReference,
			account: String(names.get(letter.accountId)),
			email: letter.contact.email,
			person: letter.customerReference,
			statuses: letter.history.map(({ status }) => status),
		}));
	}

	/** What executions sleep for, or did: the latest. */
	async waits(): Promise<WaitView[]> {
		return (await this.receiver.call<{ data: WaitView[] }>('GET', '/waits?limit=500')).data;
	}

	/** Hands out again what is dead, once the receiver has told of it, as an operator does. @returns how many are dead */
	async handOutDead(): Promise<number> {
		const { data: dead } = await this.receiver.call<{
			data: Array<{ id: string; wait: string | null; events: number[] }>;
		}>('GET', '/batches?state=dead&limit=500');
		if (dead.length === 0) return 0;
		const { data } = await this.receiver.call<{ data: Array<{ kind: string }> }>(
			'GET',
			'/attention',
		);
		const told = new Set(data.map(({ kind }) => kind));
		for (const { id, wait, events } of dead) {
			if (!told.has(wait === null ? 'batches-dead' : 'wake-ups-dead')) continue;
			await this.receiver.call('POST', `/batches/${id}/retry`);
			if (wait !== null) this.startedAnew++;
			for (const sequence of events) this.handedOutAgain.add(sequence);
		}
		return dead.length;
	}

	/** Publishes one more workflow that follows. */
	async follow(name: string, isFromTheStart: boolean): Promise<void> {
		const file = following(name, this.setting.shape, this.stack.credential());
		const workflow = await this.stack.api.saveWorkflow(file);
		this.followers.set(name, { workflow, isFromTheStart });
		await this.stack.api.activate(workflow.id);
		if (isFromTheStart) await this.receiver.untilHeld(workflow.id, 1);
	}

	/** Events go to the receiver like this from now on. */
	async tellWebhooks(look: object): Promise<void> {
		const url = `http://127.0.0.1:${this.proxy.port}/events`;
		await this.stack.sandbox.control('PUT /webhooks', {
			webhooks: [{ url, secret: this.stack.hmacSecret, ...look }],
		});
	}

	/** Everything is up, and nothing disturbs it. */
	async heal(): Promise<void> {
		this.setting.disk?.free();
		this.setting.forwardProxy.refuse = () => null;
		for (const proxy of [this.setting.postgresProxy, this.proxy]) {
			proxy?.speakToNew();
			proxy?.cut();
		}
		await this.stack.sandbox.control('DELETE /faults');
		await this.parts.bringUp();
		await this.bringN8nUp();
		await this.liftLimit();
	}

	async close(): Promise<void> {
		const { folder, n8nStore, postgres, postgresProxy, disk, forwardProxy } = this.setting;
		for (const worker of this.workers) await worker.stop();
		await this.proxy?.stop();
		await this.stack.close().catch(() => undefined);
		await this.parts.close();
		await this.json?.close();
		await n8nStore.close();
		await postgresProxy?.stop();
		await forwardProxy.close();
		await postgres?.stop();
		disk?.remove();
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	}

	/**
	 * Everything written down anywhere, by where it is: logs, databases, pages, but those that show
	 * secrets on purpose.
	 */
	async traces(): Promise<Map<string, string>> {
		const { n8nStore } = this.setting;
		const { sandbox, receiver } = this.stack;
		const pages = await Promise.all([
			...SANDBOX_PAGES.map((path) => pageOf(sandbox.pageUrl + path)),
			...RECEIVER_LISTS.map((path) =>
				pageOf(receiver.url + path, { authorization: `Bearer ${this.setting.operatorToken}` }),
			),
		]);
		const stored = await n8nStore.texts(this.stack);
		return new Map([...(await textsOf(this.logs)), ...stored, ...pages]);
	}

	/** Everything that the receivers have stored. */
	async store(): Promise<Map<string, string>> {
		const { database, disk } = this.setting;
		const file = receiverFile(disk);
		return database === null ? await textsOf([file, `${file}-wal`]) : await rowsOf(database);
	}

	/** Of all processes, also those that have not written one. */
	get logs(): string[] {
		const { folder, n8n } = this.stack;
		return [n8n.logFile, join(folder, 'n8n', 'n8n-worker.log'), ...this.parts.logs];
	}

	private async begin(): Promise<void> {
		this.json = await startFileServer();
		await this.stack.start();
		const { stack } = this;
		const tokens = [this.n8nToken, this.setting.operatorToken];
		for (const secret of [...tokens, stack.hmacSecret, ENCRYPTION_KEY]) this.secrets.add(secret);
		for (const { token, key } of stack.sandbox.accounts)
			for (const secret of [token, ...pemLines(key ?? '')]) this.secrets.add(secret);
		this.proxy = await startTcpProxy(Number(new URL(stack.receiver.url).port));
		await this.saveCredentials();
		await this.tellWebhooks({});
		await this.publish('direct', this.mailing('direct', SERVICE_CREDENTIAL));
		await this.publish('reseller', this.mailing('reseller', RESELLER_CREDENTIAL));
		await this.publish('caller', caller(pathOf('caller'), this.sender('direct').id));
		const { startWorker } = this.setting.n8nStore;
		if (startWorker !== null) this.workers = [await startWorker(stack), await startWorker(stack)];
		await this.follow('Storm: all events', true);
	}

	private mailing(sender: Sender, account: string): WorkflowFile {
		const isWiredBack = sender === 'reseller';
		return mailing(
			{ path: pathOf(sender), deadline: DEADLINE_MINUTES, isWiredBack },
			this.setting.shape,
			this.stack.credential(account),
		);
	}

	private async publish(sender: Sender, file: WorkflowFile): Promise<void> {
		const workflow = await this.stack.api.saveWorkflow(file);
		this.senders.set(sender, workflow);
		await this.stack.api.activate(workflow.id);
	}

	/** n8n reaches the receiver through the proxy that takes the connection away. */
	private async saveCredentials(): Promise<void> {
		const follow = byReceiver(`http://127.0.0.1:${this.proxy.port}`, this.n8nToken);
		await this.stack.saveCredentials(follow, this.certificate);
	}
}

/** What stands below n8n and the receivers. */
async function startBelow(folder: string, kind: Kind, shape: Shape): Promise<Setting> {
	const forwardProxy = await startForwardProxy();
	// It alone finds the service by its name.
	forwardProxy.lead = (address) => address.replace(SERVICE_NAME, '127.0.0.1');
	const tokens = { n8nToken: crypto.randomUUID(), operatorToken: crypto.randomUUID() };
	const common = { folder, kind, shape, forwardProxy, ...tokens };
	if (kind === 'sqlite') {
		const below = { postgres: null, database: null, postgresProxy: null };
		return {
			...common,
			...below,
			n8nStore: sqliteStore(proxied(forwardProxy)),
			disk: mountSmallDisk(64),
		};
	}
	const n8nStore = await queueStore(proxied(forwardProxy), shape.limit);
	try {
		const postgres = await startPostgres();
		const database = await postgres.freshDatabase();
		const postgresProxy = await startTcpProxy(Number(new URL(database).port));
		return { ...common, postgres, database, postgresProxy, n8nStore, disk: null };
	} catch (error) {
		await n8nStore.close();
		await forwardProxy.close();
		throw error;
	}
}

const proxied = ({ url }: ForwardProxy) => ({ HTTPS_PROXY: url, NO_PROXY: 'localhost,127.0.0.1' });

/** Of each receiver: two with one database, or one with a file. */
function environments({ database, postgresProxy, disk }: Setting): Array<Record<string, string>> {
	if (database === null || postgresProxy === null)
		return [disk === null ? {} : { DATABASE_FILE: receiverFile(disk) }];
	const url = new URL(database);
	url.port = String(postgresProxy.port);
	const shared = { DATABASE_URL: url.href, ENCRYPTION_KEY };
	return [shared, shared];
}

const pathOf = (sender: Sender) => `storm-${sender}`;

const receiverFile = (disk: SmallDisk | null) => join(disk?.folder ?? '', 'receiver.db');

const SANDBOX_PAGES = [
	'/',
	'/requests',
	'/webhooks',
	'/_sandbox/state',
	'/_sandbox/requests?limit=1000',
];
/** What the operator page shows. */
const RECEIVER_LISTS = [
	'/events?limit=500',
	'/batches?limit=500',
	'/consumers',
	'/attention',
	'/attention?state=over',
	'/waits?limit=500',
	'/letters?limit=500',
	'/claims?limit=500',
];

async function pageOf(
	url: string,
	headers: Record<string, string> = {},
): Promise<[string, string]> {
	return [url, await (await fetch(url, { headers })).text()];
}
