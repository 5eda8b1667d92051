import { join } from 'node:path';

import { useSandbox } from '../../sandbox/src/testing/jest.ts';
import { sandboxState } from '../support/sandbox.ts';
import { call, form, letter, send } from '../contract/sandbox/client.ts';
import { PNG } from '../contract/sandbox/images.ts';
import { COLOR_SCHEMES } from './looks.ts';
import { card, page, SCREENSHOTS, usePage, useBrowser } from './use-page.ts';

jest.setTimeout(120_000);

const RESELLER = { as: 'reseller' };

const sandbox = useSandbox({ automatic: false, examples: true });
useBrowser();

describe.each(COLOR_SCHEMES)('customers and contacts on the page, %s', (colorScheme) => {
	usePage(sandbox, { colorScheme, viewport: { width: 1280, height: 1000 } });

	const press = (id: string, name: string) => card(id).getByRole('button', { name }).click();
	const status = (id: string, text: string) =>
		card(id).locator('.status', { hasText: text }).waitFor();

	it('a customer gets its mail, accepts, and its logo is on the letters sent for it', async () => {
		const wanted = { name: 'Café Rêve', email: 'reve@customers.example' };
		const body = { customers: [{ ...wanted, isPaying: true, willSendLre: false }] };
		const { id } = (await call(sandbox, '/customers/bulk_store', { ...RESELLER, body })).json
			.customers[0];
		const mail = card(id).frameLocator('iframe');
		await mail.getByText('asks to send registered mail in your name').waitFor();
		await press(id, 'Accept');
		await status(id, 'Accepted');
		const logo = form(['logo', new File([new Uint8Array(PNG)], 'logo.png')]);
		await call(sandbox, `/customers/${id}/logo`, { ...RESELLER, method: 'PUT', body: logo });
		await card(id).getByRole('img', { name: 'Logo of Café Rêve' }).waitFor();

		const sent = await send(sandbox, letter({ sender: id, includeSenderLogo: true }), RESELLER);
		const message = sent.json.messages[0].id as string;
		await press(message, 'Deliver');
		const shown = card(message).getByRole('img', { name: 'Logo of Café Rêve' });
		await shown.waitFor();
		expect(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
		await press(id, 'Revoke');
		await status(id, 'Revoked');
	});

	it('each evidence of a letter opens from its card', async () => {
		const { messages } = await sandboxState(sandbox);
		const accepted = messages.find(({ status }) => status === 'ACCEPTED')!;
		const links = card(accepted.id).getByRole('list', { name: 'Evidence' }).getByRole('link');
		expect(await links.locator('span').allInnerTexts()).toEqual(['SENT', 'ACCEPTED']);
		const downloading = page.waitForEvent('download');
		await links.last().click();
		const stream = await (await downloading).createReadStream();
		const [first] = await stream.take(1).toArray();
		expect(String(first).slice(0, 5)).toBe('%PDF-');
		await page.screenshot({ path: join(SCREENSHOTS, `letters-${colorScheme}.png`) });
	});
});
