import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueClientCertificate, issueServerCertificate } from './accounts/authority.ts';
import { VirtualClock } from './world/clock.ts';
import { Deliveries } from './messages/delivery.ts';
import { addExamples } from './world/examples.ts';
import { FaultPlan } from './http/faults.ts';
import { folderError } from './world/kept-file.ts';
import { lockFolder } from './world/folder-lock.ts';
import { loadIdentity } from './accounts/identity.ts';
import { countedIds, randomIds } from './world/ids.ts';
import { listen, secureServer, showCertificate, stop } from './http/listener.ts';
import { inUrl, isName, LOOPBACK_NAMES, nameOf } from './world/names.ts';
import { DEFAULT_OPTIONS, type SandboxOptions } from './world/options.ts';
import type { MailContent } from './world/mails.ts';
import { pageApp } from './page/page-app.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { Scheduler } from './world/scheduler.ts';
import { seed } from './accounts/seeded-accounts.ts';
import { serviceApp } from './service-app.ts';
import { SignedLinks } from './world/signed-links.ts';
import { accountsWithSecrets, type AccountAccess } from './control/state-schemas.ts';
import { commitSoon } from './world/commit-soon.ts';
import { StateDatabase } from './world/state-database.ts';
import { prepareUploads } from './world/uploads.ts';
import { Store } from './world/store.ts';
import { EventLog } from './journal/event-log.ts';
import { Kept, numbers } from './journal/kept.ts';
import { secretsOf } from './journal/record-requests.ts';
import { exchangeWeight, summaryOf, type RequestEntry } from './journal/request-entry.ts';
import { WebhookSender } from './webhooks/webhooks.ts';
import { mailSchema, type Mail } from './world/model.ts';
import type { World } from './world/world.ts';
import { discard } from './http/upload.ts';

export type { AccountAccess } from './control/state-schemas.ts';
export type { SandboxOptions } from './world/options.ts';
export type { WebhookEndpoint } from './webhooks/webhook-endpoint.ts';

export interface Sandbox {
	/** Address of the service: HTTPS, issued by the sandbox's own authority. */
	url: string;
	/** Address of the mails page and the control API, plain HTTP for browsers. */
	pageUrl: string;
	/** PEM of the authority that clients must trust. */
	caCertificate: string;
	/** Accounts to connect with, as they were at startup. */
	accounts: AccountAccess[];
	/** Stops listeners, timers and webhooks, and deletes temporary files. */
	close(): Promise<void>;
}

/** Of the request journal, in characters: its share of the 600 MB that 100,000 messages may take. */
const JOURNAL_WEIGHT = 32 * 1024 * 1024;

/** Starts a complete delivery service on this machine. Any number may run side by side. */
export async function startSandbox(given: Partial<SandboxOptions> = {}): Promise<Sandbox> {
	const options = { ...DEFAULT_OPTIONS, ...given };
	const { folder } = options;
	const lock = folder === null ? null : await lockFolder(folder);
	let database: StateDatabase | null = null;
	const release = async () => {
		database?.close();
		await lock?.release();
	};
	try {
		if (folder !== null) database = await StateDatabase.open(folder);
		const sandbox = await start(options, database);
		await lock?.tell(sandbox.url);
		return { ...sandbox, close: () => sandbox.close().finally(release) };
	} catch (error) {
		await release();
		throw folder === null ? error : folderError(folder, null, error);
	}
}

async function start(options: SandboxOptions, database: StateDatabase | null): Promise<Sandbox> {
	const { folder, report } = options;
	const names = [...LOOPBACK_NAMES, ...options.names];
	const linkName = inUrl(options.names[0] ?? 'localhost');
	const kept = database?.read() ?? null;
	const ids = options.deterministic ? countedIds(kept?.ids ?? undefined) : randomIds();
	const identity = await loadIdentity(folder, names, ids, Date.now());

	const clock = new VirtualClock(Date.now, kept?.clock);
	const links = new SignedLinks(kept ? Buffer.from(kept.linkSecret, 'base64') : undefined);
	const store = new Store();
	if (kept) {
		store.import(kept, join(folder ?? '', 'uploads'));
		store.forgetChanges();
	} else seed(store, identity, ids, clock.now());
	const home = folder ?? (await temporaryFolder());
	const uploads = await prepareUploads(home, store);

	const scheduler = new Scheduler(clock, report);
	const { webhooks: endpoints, webhookRetryDelaysMs: retryDelays } = options;
	const nextNumber = numbers();
	const bounds = { entries: options.keptRequests, weight: JOURNAL_WEIGHT };
	const requests = new Kept<RequestEntry>(
		bounds,
		(entry) => exchangeWeight(entry, entry.messageIds.length * 24),
		nextNumber,
	);
	const events = new EventLog(Date.now().toString(36));
	store.watch(() => events.publishChange());
	const webhooks: WebhookSender = new WebhookSender(endpoints, retryDelays, {
		nextNumber,
		beforeSending: () => world.commit(),
		onAttempt: (attempt) => events.publish({ kind: 'webhook', data: summaryOf(attempt) }),
		secrets: () => secretsOf({ store, webhooks }),
	});
	const rateLimiter = new RateLimiter(clock);
	const faults = new FaultPlan(clock);
	const postMail = ({ to, subject, html, links = NO_LINKS, ...about }: MailContent) => {
		const { messageId = null, customerId = null, consentId = null } = about;
		const posted = {
			id: ids.short('mail'),
			at: clock.now(),
			to,
			subject,
			html,
			links,
			messageId,
			customerId,
			consentId,
		};
		store.put('mails', posted);
		events.publish({ kind: 'mail', data: mailSchema.parse(posted) });
	};
	const parts = { clock, scheduler, store, ids, links, webhooks, events, postMail };
	const deliveries = new Deliveries(parts, options);

	let url = '';
	const world: World = {
		clock,
		store,
		ids,
		links,
		webhooks,
		rateLimiter,
		faults,
		deliveries,
		postMail,
		uploads,
		requests,
		events,
		snapshots: new Map(),
		era: 0,
		issueCertificate: (name) => issueClientCertificate(identity.authority, name, clock.now()),
		serviceUrl: () => url,
		async setServiceUrl(changed) {
			const name = nameOf(new URL(changed).host);
			if (isName(name) && !names.includes(name)) {
				const { authority } = identity;
				const issued = await issueServerCertificate(authority, Date.now(), [...names, name]);
				for (const server of servers) showCertificate(server, issued);
			}
			url = changed;
		},
		caCertificate: identity.authority.certificate,
		scheduler,
		strict: options.strict,
		reset: () =>
			world.replace(() => {
				clock.reset();
				rateLimiter.set(null);
				faults.clear();
				seed(store, identity, ids, clock.now());
				if (options.examples) addExamples(world);
			}),
		async replace(fill) {
			const before = store.files();
			world.era++;
			scheduler.clear();
			webhooks.reset(options.webhooks);
			store.clear();
			requests.clear();
			events.clear();
			fill();
			world.commit();
			await world.removeFiles(before);
		},
		async removeFiles(files) {
			const kept = [...world.snapshots.values()].flatMap(({ files }) => files);
			const needed = new Set([...store.files().map(({ path }) => path), ...kept]);
			await discard(files.filter(({ path }) => !needed.has(path)));
		},
		commit: () =>
			database ? database.commit({ store, clock, ids, links }) : store.forgetChanges(),
		report,
	};
	commitSoon(world);
	for (const message of store.messages.values()) deliveries.resume(message);
	if (options.examples && !kept) addExamples(world);

	const sites = { host: options.host, names, origins: options.cors };
	const service = serviceApp(world, sites);
	const page = pageApp(world, sites);
	const servers: Server[] = [];
	const open = async (create: () => Server, port: number): Promise<number> => {
		const listening = await listen(create, options.host, port);
		servers.push(...listening.servers);
		return listening.port;
	};
	const end = async () => {
		// What is under way has no effect any more.
		world.era++;
		scheduler.close();
		await Promise.all([...servers.map(stop), webhooks.close()]);
		world.commit();
		if (folder === null) await rm(home, { recursive: true, force: true });
	};
	let ending: Promise<void> | undefined;
	const close = () => (ending ??= end());
	try {
		const secure = () => secureServer(service, identity.server, () => faults.takeHandshake());
		url = `https://${linkName}:${await open(secure, options.port)}`;
		const pagePort = await open(() => createServer(page), options.pagePort);
		const pageUrl = `http://${linkName}:${pagePort}`;
		const { caCertificate } = world;
		return { url, pageUrl, caCertificate, accounts: accountsWithSecrets(world), close };
	} catch (error) {
		await close();
		throw error;
	}
}

const NO_LINKS: Mail['links'] = [];

const temporaryFolder = () => mkdtemp(join(tmpdir(), 'registered-delivery-sandbox-'));
