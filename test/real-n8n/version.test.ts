// Which n8n these tests ran in. By night it is n8n's newest, which must not stand still behind the pinned one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../n8n/folders.ts';
import { n8nVersion } from '../n8n/program.ts';

jest.setTimeout(600_000);

const numbersOf = (version: string) =>
	(/\d+\.\d+\.\d+/.exec(version)?.[0] ?? '').split('.').map(Number);

it('is not older than the pinned one', async () => {
	const { dependencies } = JSON.parse(
		readFileSync(join(root, 'test', 'n8n', 'package.json'), 'utf8'),
	) as { dependencies: { n8n: string } };
	const version = await n8nVersion();
	const [own, pinned] = [version, dependencies.n8n].map(numbersOf);
	const at = own.findIndex((number, index) => number !== pinned[index]);
	const says = `n8n ${version}, pinned is ${dependencies.n8n}`;
	console.log(says);
	expect([says, at < 0 || own[at] > pinned[at]]).toEqual([says, true]);
});
