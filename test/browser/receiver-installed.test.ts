// The operator page as the README's first steps give it: from the published package, where npx installs it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { type Installed, installed, removeInstalled } from '../contract/pack/installed.ts';
import { until } from '../n8n/poll.ts';
import { freePort } from '../n8n/port.ts';
import { launchChromium } from './chromium.ts';
import { complaints } from './complaints.ts';

jest.setTimeout(180_000);

const children: ChildProcess[] = [];
afterAll(async () => {
	for (const child of children.filter(({ exitCode }) => exitCode === null)) {
		child.kill('SIGKILL');
		await once(child, 'exit');
	}
	await removeInstalled();
}, 60_000);

/** Starts the command of an installed package. @returns the receiver's address */
async function started({ app, main }: Installed): Promise<string> {
	const url = `http://127.0.0.1:${await freePort()}`;
	const env = {
		PATH: process.env.PATH,
		PORT: new URL(url).port,
		DATABASE_FILE: join(app, 'receiver.sqlite'),
		MANAGEMENT_TOKEN: 'a-token-for-this-test',
		INGEST_SHARED_SECRETS: 'a-secret-for-this-test',
	};
	children.push(spawn(process.execPath, [main], { cwd: app, env, stdio: 'ignore' }));
	await until('it is ready', async () =>
		fetch(`${url}/readyz`).then(
			({ ok }) => ok,
			() => false,
		),
	);
	return url;
}

it('a person logs in to a receiver that is installed below a folder that begins with a dot', async () => {
	const receiver = await installed('webhook-receiver');
	expect(receiver.main).toContain('/.npm/');
	const url = await started(receiver);
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

it('a receiver that lacks what the page is made of takes events, and says on the page what it lacks', async () => {
	const receiver = await installed('webhook-receiver');
	await rm(join(receiver.app, 'node_modules', 'simpledotcss'), { recursive: true });
	const url = await started(receiver);
	const answer = await fetch(url);
	expect({ status: answer.status, type: answer.headers.get('content-type') }).toEqual({
		status: 500,
		type: 'text/plain; charset=utf-8',
	});
	expect(await answer.text()).toBe(
		'The receiver runs, but this page can not be shown: simpledotcss is not installed. Run "npm ci" where the receiver was installed, and restart it.',
	);
	const event = await fetch(`${url}/events`, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'x-webhook-secret': 'a-secret-for-this-test',
		},
		body: JSON.stringify({ event: 'aes_sent', messageId: '000000000001' }),
	});
	expect(event.status).toBe(200);
});
