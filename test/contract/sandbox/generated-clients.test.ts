// What others make of the descriptions: types of a generator, and a program written by them.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { localFolder, root } from '../../n8n/folders.ts';
import { accountOf } from './client.ts';
import { controlDescription } from './control-described.ts';
import { description } from './described.ts';
import { ownSandbox } from './own.ts';

const run = promisify(execFile);
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

jest.setTimeout(120_000);

const PROGRAM = `import type { operations as service } from './service.ts';
import type { operations as control } from './control.ts';

type Sent = service['sendMessages']['responses'][201]['content']['application/json'];
type Read = service['getMessage']['responses'][200]['content']['application/json'];
type Mails = control['listMails']['responses'][200]['content']['application/json'];

const [url, pageUrl, token = ''] = process.argv.slice(2);
const headers = { 'X-API-TOKEN': token, 'Content-Type': 'application/json' };
const letter: service['sendMessages']['requestBody']['content']['application/json'] = {
	type: 'AES',
	body: '<p>Good morning</p>',
	recipients: [{ email: 'ada@mail.example', firstname: 'Ada', lastname: 'Lovelace' }],
};
const answer = await fetch(url + '/messages/bulk_send', {
	method: 'POST', headers, body: JSON.stringify(letter),
});
const { messages } = (await answer.json()) as Sent;
const id = messages[0]?.id;
const deliver: control['actOnMessage']['parameters']['path']['trigger'] = 'deliver';
await fetch(pageUrl + '/_sandbox/messages/' + id + '/' + deliver, { method: 'POST' });
const mails = (await (await fetch(pageUrl + '/_sandbox/mails?messageId=' + id)).json()) as Mails;
const read = (await (await fetch(url + '/messages/' + id, { headers })).json()) as Read;
console.log(JSON.stringify({ to: mails.mails[0]?.to, status: read.status }));
`;

let folder: string;

beforeAll(async () => {
	await mkdir(localFolder, { recursive: true });
	// Inside the project, where the program finds Node's types.
	folder = await mkdtemp(join(localFolder, 'generated-clients-'));
	await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
	await writeFile(join(folder, 'send.ts'), PROGRAM);
	for (const [name, described] of Object.entries({
		service: description,
		control: controlDescription,
	})) {
		const file = join(folder, `${name}.json`);
		await writeFile(file, JSON.stringify(described));
		await run(bin('openapi-typescript'), [file, '-o', join(folder, `${name}.ts`)]);
	}
});

afterAll(() => rm(folder, { recursive: true }));

it('generated types compile in the strict reading, and a program by them sends a letter', async () => {
	const options = {
		compilerOptions: {
			...{ target: 'es2023', module: 'esnext', moduleResolution: 'bundler', strict: true },
			...{ lib: ['es2023', 'dom', 'dom.iterable'], noEmit: true, skipLibCheck: true },
			...{ types: ['node'], allowImportingTsExtensions: true },
		},
		include: ['*.ts'],
	};
	await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options));
	await run(bin('tsc'), ['-p', folder]);

	const sandbox = await ownSandbox();
	const authority = join(folder, 'ca.pem');
	await writeFile(authority, sandbox.caCertificate);
	const { stdout } = await run(
		process.execPath,
		[join(folder, 'send.ts'), sandbox.url, sandbox.pageUrl, accountOf(sandbox, 'direct').token],
		{ env: { ...process.env, NODE_EXTRA_CA_CERTS: authority } },
	);
	expect(JSON.parse(stdout)).toEqual({ to: 'ada@mail.example', status: 'RECEIVED' });
});
