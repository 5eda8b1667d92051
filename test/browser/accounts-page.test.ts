// What the accounts page offers to copy, held against the fields that n8n's credential has.
import type { INodePropertyOptions } from 'n8n-workflow';

import { RegisteredDeliveryApi } from '../../credentials/RegisteredDeliveryApi.credentials.ts';
import { RegisteredDeliveryWebhookApi } from '../../credentials/RegisteredDeliveryWebhookApi.credentials.ts';
import type { WebhookEndpoint } from '../../sandbox/src/sandbox.ts';
import { useSandbox } from '../../sandbox/src/testing/jest.ts';
import { serviceCredential } from '../support/sandbox.ts';
import { page, usePage, useBrowser } from './use-page.ts';

jest.setTimeout(60_000);

const sandbox = useSandbox();
useBrowser();
usePage(sandbox, { permissions: ['clipboard-read', 'clipboard-write'] });

const card = (company: string) => page.getByRole('region', { name: company });
const copyButton = (company: string, field: string) =>
	card(company).getByRole('button', { name: `Copy ${field}`, exact: true });

/** What a user fills in, by the names that n8n shows; the rest stays as it is. */
function filledIn(account: string): Array<[string, string]> {
	const values: Record<string, string> = serviceCredential(sandbox, account);
	return new RegisteredDeliveryApi().properties
		.filter(({ name, default: standard }) => values[name] && values[name] !== standard)
		.map(({ name, displayName }) => [displayName, values[name].trim()]);
}

it.each([
	['Atelier Nord', 'direct', 5],
	['Studio Sud', 'token-only', 3],
	['Courrier & Partners', 'reseller', 5],
])('of %s, copies each value under its name in n8n', async (company, account, count) => {
	await page.goto(`${sandbox.pageUrl}/accounts`);
	const names = await card(company).locator('.to-copy .unseen').allInnerTexts();
	const copied: Array<[string, string]> = [];
	for (const name of names.map((text) => text.trim())) {
		await copyButton(company, name).click();
		await card(company)
			.getByRole('button', { name: `Copied ${name}` })
			.waitFor();
		copied.push([name, await page.evaluate(() => navigator.clipboard.readText())]);
	}
	expect(copied).toEqual(filledIn(account));
	expect(copied).toHaveLength(count);
	// Only the last one: so one sees how far one has come.
	expect(await page.getByRole('button', { name: /^Copied/ }).count()).toBe(1);
});

/** Every way of signing that n8n's credential offers, and what it has to be told. */
it.each<[WebhookEndpoint['signing'], string, Record<string, string>]>([
	['timestamped', 'hush', { scheme: 'hmac', secrets: 'hush' }],
	[
		'body',
		'hush',
		{
			scheme: 'hmac',
			secrets: 'hush',
			signatureHeader: 'X-Hub-Signature-256',
			template: '{body}',
		},
	],
	['standard', 'whsec_aHVzaA==', { scheme: 'standardWebhooks', secrets: 'whsec_aHVzaA==' }],
	['shared-secret', 'hush', { scheme: 'sharedSecret', secrets: 'hush' }],
	['basic', 'delivery:hush', { scheme: 'basic', secrets: 'delivery:hush' }],
])(
	'of a webhook signed %s, offers what n8n’s credential asks for',
	async (signing, secret, filled) => {
		const url = 'http://localhost:9/events';
		const webhooks = [{ url, secret, signing }];
		await sandbox.control('PUT /webhooks', { webhooks });
		await page.goto(`${sandbox.pageUrl}/accounts`);
		const fields = card(`Webhook to ${url}`).locator('.to-copy li');
		const shown = await fields.evaluateAll((all) =>
			all.map((one) => [
				one.querySelector('.unseen')?.textContent?.trim(),
				one.querySelector('.value')?.textContent,
			]),
		);
		const { scheme } = filled;
		const expected = new RegisteredDeliveryWebhookApi().properties
			.filter(({ displayOptions }) => displayOptions?.show?.scheme?.includes(scheme) ?? true)
			.filter(({ name }) => name in filled)
			.map(({ name, displayName, options }) => {
				const value = filled[name];
				const option = (options as INodePropertyOptions[] | undefined)?.find(
					(one) => one.value === value,
				);
				return [displayName, option?.name ?? value];
			});
		expect(shown).toEqual(expected);
	},
);
