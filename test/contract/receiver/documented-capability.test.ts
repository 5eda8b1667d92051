// The capability that CONTRIBUTING shows, as it stands there, in a receiver that runs it; and what else one
// can have, by the table of docs/architecture.md.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Dependencies } from '../../../webhook-receiver/src/server.ts';
import { CAPABILITIES } from '../../../webhook-receiver/src/server.ts';
import { root } from '../../n8n/folders.ts';
import { read, rows } from '../pack/documents.ts';
import { cleanUp, start, temporaryFolder } from './harness.ts';

afterEach(cleanUp);

const RECEIVER = join(root, 'webhook-receiver');

it('the example does what its test says, and its metric is there', async () => {
	const [, code = ''] =
		/```ts\n\/\/ .+\/bounces\.ts\n([^]+?)```/.exec(read('CONTRIBUTING.md')) ?? [];
	const express = createRequire(join(RECEIVER, 'package.json')).resolve('express');
	const file = join(temporaryFolder(), 'bounces.ts');
	writeFileSync(
		file,
		code.replace("'express'", `'${express}'`).replaceAll("'../../", `'${RECEIVER}/src/`),
	);
	const { bounces } = (await import(file)) as { bounces: (typeof CAPABILITIES)[number] };
	const dependencies: Dependencies = { capabilities: [...CAPABILITIES, bounces] };
	const { emit, manage, metrics } = await start({ dependencies });
	await emit({ event: 'aes_sent', messageId: 1 });
	await emit({ event: 'aes_undelivered', messageId: 2 });
	expect((await manage('GET', '/bounces')).body).toEqual({ count: 1 });
	expect(await metrics()).toContain('\nreceiver_letters_bounced 1\n');
});

it('the table has each member that a capability can have', () => {
	const membersOf = (file: string, name: string) => {
		const [, members = ''] =
			new RegExp(`interface ${name}[^{]*\\{\\n([^]+?)\\n\\}`).exec(read(file)) ?? [];
		return [...members.matchAll(/^\t(\w+)\?/gm)].map(([, member]) => member);
	};
	const all = [
		...membersOf('webhook-receiver/src/capability.ts', 'Running'),
		...membersOf('webhook-receiver/src/log/learn.ts', 'LearnHooks'),
	];
	expect(all.length).toBeGreaterThan(10);
	const table = rows(read('docs/architecture.md'), 'member').flatMap(({ member }) =>
		[...member.matchAll(/`(\w+)`/g)].map(([, name]) => name),
	);
	expect(table.sort()).toEqual(all.sort());
});
