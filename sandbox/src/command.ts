import { readFileSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { startSandbox, type Sandbox } from './sandbox.ts';
import { isName } from './http/names.ts';

const HELP = `Usage: registered-delivery-sandbox [options]

A registered electronic delivery service on this machine.

  --port N              port of the service (default: a free one)
  --page-port N         port of the mails page and the control API (default: a free one)
  --host ADDRESS        address to listen on (default: both loopback addresses)
  --name HOST           name or address that others reach it by, such as a container's: it stands
                        in the certificate and, the first, in links; may be given more than once,
                        or comma-separated in SANDBOX_NAMES (default: localhost)
  --folder PATH         keep everything here from start to start: authority, tokens,
                        messages, customers, consents, mails
  --webhook URL         send events here; may be given more than once
  --webhook-secret S    secret that signs the events of the --webhook at the same place; @FILE
                        takes it from a file
  --examples            start with some letters to look at
  --strict              refuse members that the interface does not know, such as a mistyped
                        filereference, which the service drops
  --version             the version of the sandbox
  --help                this text
`;

const OPTIONS = {
	port: { type: 'string', default: '0' },
	'page-port': { type: 'string', default: '0' },
	host: { type: 'string', default: 'localhost' },
	name: { type: 'string', multiple: true },
	folder: { type: 'string' },
	webhook: { type: 'string', multiple: true, default: [] as string[] },
	'webhook-secret': { type: 'string', multiple: true, default: [] as string[] },
	examples: { type: 'boolean', default: false },
	strict: { type: 'boolean', default: false },
	version: { type: 'boolean', default: false },
	help: { type: 'boolean', default: false },
} satisfies ParseArgsOptionsConfig;

const values = readArguments();

if (values.help) console.log(HELP);
else if (values.version) console.log(readVersion());
else await run().catch((error: Error) => fail(error.message));

function readArguments() {
	try {
		return parseArgs({ options: OPTIONS }).values;
	} catch (error) {
		return fail(`${(error as Error).message}\n\n${HELP}`);
	}
}

async function run(): Promise<void> {
	const sandbox = await startSandbox({
		host: values.host,
		names: readNames(),
		port: readPort('--port', values.port),
		pagePort: readPort('--page-port', values['page-port']),
		folder: values.folder ?? null,
		webhooks: readWebhooks(),
		examples: values.examples,
		strict: values.strict,
	});
	stopOnSignals(sandbox);
	console.log(`Service    ${sandbox.url}`);
	console.log(`Mails      ${sandbox.pageUrl}`);
	console.log(`Accounts   ${sandbox.pageUrl}/accounts (tokens, certificates, the authority)`);
}

function readVersion(): string {
	const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

function readPort(option: string, text: string): number {
	const port = Number(text);
	if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
	return fail(`${option} takes a number from 0 to 65535, not "${text}"`);
}

function readNames(): string[] {
	const { SANDBOX_NAMES: variable = '' } = process.env;
	const fromVariable = variable.split(',').map((name) => name.trim());
	const [source, names] = values.name
		? ['--name', values.name]
		: ['SANDBOX_NAMES', fromVariable.filter((name) => name !== '')];
	const wrong = names.find((name) => !isName(name));
	if (wrong === undefined) return names.map((name) => name.toLowerCase());
	return fail(`${source} takes a host name or an address, without scheme and port, not "${wrong}"`);
}

function readWebhooks() {
	const secrets = values['webhook-secret'];
	return values.webhook.map((url, index) => {
		if (!URL.canParse(url) || !/^https?:/.test(url)) fail(`--webhook takes a URL, not "${url}"`);
		const secret = readSecret(secrets[index] ?? '');
		return { url, secret: secret || fail(`--webhook ${url} needs a --webhook-secret`) };
	});
}

function readSecret(text: string): string {
	if (!text.startsWith('@')) return text;
	try {
		return readFileSync(text.slice(1), 'utf8').trim();
	} catch (error) {
		return fail(`--webhook-secret ${text}: ${(error as Error).message}`);
	}
}

function fail(message: string): never {
	console.error(message);
	process.exit(2);
}

function stopOnSignals(sandbox: Sandbox): void {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.on(signal, () => void sandbox.close());
}
