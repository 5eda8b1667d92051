// The operator page as the README's first steps give it: from the published package, where npx installs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { installed, removeInstalled } from '../contract/pack/installed.ts';
import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';

jest.setTimeout(180_000);

let child: ChildProcess | undefined;
afterAll(async () => {
	if (child?.exitCode === null) {
		child.kill('SIGKILL');
		await once(child, 'exit');
	}
	await removeInstalled();
}, 60_000);

it('a person logs in to a receiver that is installed below a folder that begins with a dot', async () => {
	const { app, main } = await installed('webhook-receiver');
	expect(main).toContain('/.npm/');
	const url = `http://127.0.0.1:${await freePort()}`;
	child = spawn(process.execPath, [main], {
		cwd: app,
		env: {
			PATH: process.env.PATH,
			PORT: new URL(url).port,
			DATABASE_FILE: join(app, 'receiver.sqlite'),
			MANAGEMENT_TOKEN: 'a-token-for-this-test',
			INGEST_SHARED_SECRETS: 'a-secret-for-this-test',
		},
		stdio: 'ignore',
	});
	await until('it is ready', async () =>
		fetch(`${url}/readyz`).then(
			({ ok }) => ok,
			() => false,
		),
	);
	const browser = await launchChromium();
	try {
		const page = await browser.newPage();
		const said = complaints(page);
		await page.goto(url);
		await page.getByLabel('Management token').fill('a-token-for-this-test');
		await page.getByRole('button', { name: 'Log in' }).click();
		await page.getByRole('button', { name: 'Log out' }).waitFor();
		expect(said).toEqual([]);
	} finally {
		await browser.close();
	}
});
