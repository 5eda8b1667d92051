// What others make of the descriptions: clients of three generators, and one of them at work.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { localFolder, root } from '../../n8n/folders.ts';
import { accountOf } from './client.ts';
import { ownSandbox } from './own.ts';

const run = promisify(execFile);
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const NAMES = ['openapi', 'control-openapi'] as const;

jest.setTimeout(120_000);

/** How a program uses one of them. */
const PROGRAM = `import * as service from './oazapfts-openapi.ts';
import * as control from './oazapfts-control-openapi.ts';

const [url, pageUrl, token] = process.argv.slice(2);
service.defaults.baseUrl = url;
service.defaults.headers = { 'X-API-TOKEN': token };
control.defaults.baseUrl = pageUrl;
const sent = await service.sendMessages({
	type: 'AES',
	body: '<p>Good morning</p>',
	recipients: [{ email: 'ada@mail.example', firstname: 'Ada', lastname: 'Lovelace' }],
});
if (sent.status !== 201) throw new Error(JSON.stringify(sent));
const [{ id }] = sent.data.messages;
await control.actOnMessage(id, 'deliver');
const mails = await control.listMails({ messageId: id, count: 1, wait: 5 });
const read = await service.getMessage(id);
console.log(JSON.stringify({ sent, mails, read }));
`;

let folder: string;

beforeAll(async () => {
	await mkdir(localFolder, { recursive: true });
	// Inside the project, where the clients find what they import.
	folder = await mkdtemp(join(localFolder, 'generated-clients-'));
	await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
	await writeFile(join(folder, 'send.ts'), PROGRAM);
	for (const name of NAMES) {
		const description = join(root, 'sandbox', `${name}.json`);
		await Promise.all([
			run(bin('openapi-typescript'), [description, '-o', join(folder, `typescript-${name}.ts`)]),
			run(bin('oazapfts'), [description, join(folder, `oazapfts-${name}.ts`)]),
			run(bin('openapi-ts'), ['-i', description, '-o', join(folder, `hey-api-${name}`)]),
		]);
	}
});

afterAll(() => rm(folder, { recursive: true }));

it('clients of three generators compile in the strict reading', async () => {
	const options = {
		compilerOptions: {
			...{ target: 'es2023', module: 'esnext', moduleResolution: 'bundler', strict: true },
			...{ lib: ['es2023', 'dom', 'dom.iterable'], noEmit: true, skipLibCheck: true },
			...{ types: ['node'], allowImportingTsExtensions: true },
		},
		include: ['.'],
	};
	await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
	const { stdout } = await run(bin('tsc'), ['-p', folder, '--listFilesOnly']);
	for (const name of NAMES)
		for (const generator of ['typescript', 'oazapfts', 'hey-api'])
			expect(stdout).toContain(`/${generator}-${name}`);
	await run(bin('tsc'), ['-p', folder]);
});

it('one of them sends a letter, and waits for its mail', async () => {
	const sandbox = await ownSandbox();
	const authority = join(folder, 'ca.pem');
	await writeFile(authority, sandbox.caCertificate);
	const { stdout } = await run(
		process.execPath,
		[join(folder, 'send.ts'), sandbox.url, sandbox.pageUrl, accountOf(sandbox, 'direct').token],
		{ env: { ...process.env, NODE_EXTRA_CA_CERTS: authority } },
	);
	expect(JSON.parse(stdout)).toMatchObject({
		mails: { data: { mails: [{ to: 'ada@mail.example' }] } },
		read: { status: 200, data: { status: 'RECEIVED' } },
	});
});
