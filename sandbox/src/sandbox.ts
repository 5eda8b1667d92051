import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueServerCertificate } from './accounts/authority.ts';
import { loadIdentity } from './accounts/identity.ts';
import type { SandboxClient } from './client/client.ts';
import type { ServiceClient } from './client/service-client.ts';
import { withClients } from './client/with-clients.ts';
import { accountsWithSecrets, type AccountAccess } from './control/state.ts';
import { createWorld } from './create-world.ts';
import { lockFolder } from './folder/folder-lock.ts';
import { FolderError, folderError } from './folder/kept-file.ts';
import {
	OlderStateError,
	setAside,
	StateDatabase,
	type KeptState,
} from './folder/state-database.ts';
import { listen, secureServer, showCertificate, stop } from './http/listener.ts';
import { inUrl, isName, LOOPBACK_NAMES } from './http/names.ts';
import { DEFAULT_OPTIONS, type SandboxOptions } from './options.ts';
import { pageApp } from './page-app.ts';
import { serviceApp } from './service-app.ts';

export type { AccountAccess } from './control/state.ts';
export type { SandboxOptions } from './options.ts';
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
	/** Controls it. */
	control: SandboxClient;
	/** Asks the service as one of its accounts: `as('direct')('GET /messages/{id}', { id })`. */
	as: (account: string) => ServiceClient;
	/** Stops listeners, timers and webhooks, and deletes temporary files. */
	close(): Promise<void>;
}

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
		let kept: KeptState | null = null;
		if (folder !== null) ({ database, kept } = await openState(folder, options.report));
		const sandbox = await start(options, database, kept);
		await lock?.tell(sandbox.url);
		return { ...sandbox, close: () => sandbox.close().finally(release) };
	} catch (error) {
		await release();
		throw folder === null ? error : folderError(folder, null, error);
	}
}

async function openState(folder: string, report: SandboxOptions['report']) {
	const database = await StateDatabase.open(folder);
	try {
		return { database, kept: database.read() };
	} catch (error) {
		database.close();
		if (!(error instanceof OlderStateError)) throw error;
		const place = await setAside(folder);
		report(
			new FolderError(
				`What ${folder} keeps is of an older sandbox, and this one cannot read it. ` +
					`It is at ${place} now; accounts and authority are as before, all else begins anew.`,
			),
		);
		return { database: await StateDatabase.open(folder), kept: null };
	}
}

async function start(
	options: SandboxOptions,
	database: StateDatabase | null,
	kept: KeptState | null,
): Promise<Sandbox> {
	const { host } = options;
	const names = [...LOOPBACK_NAMES, ...options.names];
	const identity = await loadIdentity(options.folder, names, Date.now());
	const folder = options.folder ?? (await temporaryFolder());
	const servers: Server[] = [];
	const addName = async (name: string) => {
		if (!isName(name) || names.includes(name)) return;
		const all = [...names, name];
		const issued = await issueServerCertificate(identity.authority, Date.now(), all);
		for (const server of servers) showCertificate(server, issued);
	};
	const world = await createWorld(options, { identity, database, kept, folder, addName });

	const open = async (create: () => Server, port: number): Promise<number> => {
		const listening = await listen(create, host, port);
		servers.push(...listening.servers);
		return listening.port;
	};
	const end = async () => {
		// What is under way has no effect any more.
		world.generation++;
		world.scheduler.close();
		await Promise.all([...servers.map(stop), world.webhooks.close()]);
		world.commit();
		if (options.folder === null) await rm(folder, { recursive: true, force: true });
	};
	let ending: Promise<void> | undefined;
	const close = () => (ending ??= end());

	const sites = { host, names };
	const service = serviceApp(world, sites, options);
	const page = pageApp(world, sites);
	const inLinks = inUrl(options.names[0] ?? 'localhost');
	try {
		const secure = () => secureServer(service, identity.server);
		const url = `https://${inLinks}:${await open(secure, options.port)}`;
		world.host.url = url;
		const pagePort = await open(() => createServer(page), options.pagePort);
		const pageUrl = `http://${inLinks}:${pagePort}`;
		const { caCertificate } = world.host;
		return {
			...withClients({ url, pageUrl, caCertificate, accounts: accountsWithSecrets(world) }),
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

const temporaryFolder = () => mkdtemp(join(tmpdir(), 'registered-delivery-sandbox-'));
