import { readFileSync } from 'node:fs';
import {
	AbstractStartedContainer,
	GenericContainer,
	getContainerRuntimeClient,
	Wait,
	type StartedTestContainer,
} from 'testcontainers';
import { sandboxClient, type Output, type SandboxClient } from '../client/client.ts';

const { version } = JSON.parse(
	readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
const IMAGE = `ghcr.io/n8n-nodes-registered-delivery/n8n-nodes-registered-delivery/sandbox:${version}`;
const SERVICE_PORT = 8443;
const PAGE_PORT = 8025;

export type AccountAccess = Output<'getAccounts'>['accounts'][number];

/** A sandbox in a container, for Testcontainers: `await new SandboxContainer().start()`. */
export class SandboxContainer extends GenericContainer {
	#names: string[] = [];

	/** @param image by default the one of this package's version */
	constructor(image: string = IMAGE) {
		super(image);
		this.withExposedPorts(SERVICE_PORT, PAGE_PORT);
		this.withWaitStrategy(Wait.forHttp('/_sandbox/ca.pem', PAGE_PORT));
		this.withStartupTimeout(60_000);
	}

	/**
	 * Names by which other containers reach it, such as its network aliases: they are in its
	 * certificate, and the first one is used in links. Without them, links use the address that the
	 * tests use. `localhost` is always in the certificate.
	 */
	withNames(...names: string[]): this {
		this.#names.push(...names);
		return this;
	}

	override async start(): Promise<StartedSandboxContainer> {
		// Published ports are not always at localhost: tests in a container reach them at a gateway.
		const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
		this.withEnvironment({ SANDBOX_NAMES: [...this.#names, host].join(',') });
		const started = await StartedSandboxContainer.of(await super.start());
		// The port that is published is known only now.
		if (this.#names.length === 0) await started.control.setAddress({ url: started.getUrl() });
		return started;
	}
}

/** A running sandbox, with everything a client needs. */
export class StartedSandboxContainer extends AbstractStartedContainer {
	/** Controls the sandbox. */
	readonly control: SandboxClient;
	/** PEM of the authority that clients must trust. */
	readonly caCertificate: string;
	/** Accounts to connect with: token, certificate and key of each. */
	readonly accounts: AccountAccess[];

	private constructor(
		container: StartedTestContainer,
		control: SandboxClient,
		caCertificate: string,
		accounts: AccountAccess[],
	) {
		super(container);
		this.control = control;
		this.caCertificate = caCertificate;
		this.accounts = accounts;
	}

	static async of(container: StartedTestContainer): Promise<StartedSandboxContainer> {
		const control = sandboxClient(addressOf(container, 'http', PAGE_PORT));
		const caCertificate = await control.getCaCertificate();
		const { accounts } = await control.getAccounts();
		return new StartedSandboxContainer(container, control, caCertificate, accounts);
	}

	/** Address of the service, from where the tests run. */
	getUrl(): string {
		return addressOf(this, 'https', SERVICE_PORT);
	}

	/** Address of the mails page and the control API, from where the tests run. */
	getPageUrl(): string {
		return addressOf(this, 'http', PAGE_PORT);
	}
}

const addressOf = (container: StartedTestContainer, scheme: string, port: number): string =>
	`${scheme}://${container.getHost()}:${container.getMappedPort(port)}`;
