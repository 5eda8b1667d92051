import type { Page } from 'playwright-core';

import { OWNER } from '../n8n/api.ts';

/** Logs the page in to the n8n at this address, as its owner. */
export async function logIn(page: Page, url: string): Promise<void> {
	await page.goto(`${url}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(OWNER.email);
	await page.locator('input[name="password"]').fill(OWNER.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL(({ pathname }) => !pathname.startsWith('/signin'));
}

/** For `addInitScript`, so it runs in the page. The editor's transitions would take half of the time. */
export function withoutMotion(): void {
	document.addEventListener('DOMContentLoaded', () => {
		const style = document.createElement('style');
		style.textContent =
			'*, ::before, ::after { transition: none !important; animation: none !important }';
		document.head.append(style);
	});
}
