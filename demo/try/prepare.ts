// The step of compose.yaml before receiver and n8n: gets the accounts from the sandbox, and writes the
// credentials the receiver polls with, what n8n imports, and the pack as n8n installs one.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
	EXAMPLE_CREDENTIALS,
	exampleFiles,
	withCredentials,
	type WorkflowFile,
} from '../../test/n8n/example-workflows.ts';
import { byReceiver, serviceCredential, type Accounts } from '../../test/support/sandbox.ts';

const {
	SANDBOX_PAGE = '',
	SANDBOX_URL = '',
	RECEIVER_URL = '',
	SHARED = '',
	N8N = '',
} = process.env;
const PACK = 'n8n-nodes-registered-delivery';

const ask = async (path: string) => {
	const answer = await fetch(`${SANDBOX_PAGE}/_sandbox/${path}`);
	if (!answer.ok) throw new Error(`The sandbox answered ${answer.status} to ${path}.`);
	return await answer.text();
};
const sandbox: Accounts = {
	url: SANDBOX_URL,
	accounts: JSON.parse(await ask('accounts')).accounts,
	caCertificate: await ask('ca.pem'),
};

const write = (name: string, text: string) => writeFile(join(SHARED, name), text, { mode: 0o600 });

const direct = serviceCredential(sandbox, 'direct');
await write('service-token', direct.apiToken);
await write('service-certificate', direct.clientCertificate);
await write('service-key', direct.clientKey);
await write('service-ca', direct.caCertificate);

const { service, reseller } = EXAMPLE_CREDENTIALS;
const managementToken = await readFile(join(SHARED, 'management-token'), 'utf8');
const follow = byReceiver(RECEIVER_URL, managementToken);
const credentials = [
	{ ...service, id: 'sandbox', data: { ...direct, ...follow } },
	{
		...reseller,
		id: 'sandbox-reseller',
		data: serviceCredential(sandbox, 'reseller', follow),
	},
];
await write('credentials.json', JSON.stringify(credentials));

const ids = Object.fromEntries(credentials.map(({ name, id }) => [name, id]));
const workflows = [];
for (const file of await exampleFiles()) {
	const workflow = JSON.parse(await readFile(join('examples', file), 'utf8')) as WorkflowFile;
	workflows.push({
		...withCredentials(workflow, ids),
		id: file.replace('.json', ''),
		active: false,
	});
}
await write('workflows.json', JSON.stringify(workflows));

// Copied at each start, so that a newer image brings a newer pack.
const nodes = join(N8N, 'nodes');
await rm(nodes, { recursive: true, force: true });
await mkdir(join(nodes, 'node_modules'), { recursive: true });
await cp('pack', join(nodes, 'node_modules', PACK), { recursive: true });
const { version } = JSON.parse(await readFile('pack/package.json', 'utf8')) as { version: string };
const installed = { name: 'installed-nodes', private: true, dependencies: { [PACK]: version } };
await writeFile(join(nodes, 'package.json'), JSON.stringify(installed));
