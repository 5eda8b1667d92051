import type { Page } from 'playwright-core';

/** What the browser complains of on the page, as it comes: errors, failed requests, breaches of a CSP. */
export function complaints(page: Page): string[] {
	const seen: string[] = [];
	page.on('console', (message) => {
		const { url } = message.location();
		if (message.type() === 'error' || /content security policy/i.test(message.text())) {
			seen.push(`${message.text()} (${url})`);
		}
	});
	page.on('pageerror', (error) => void seen.push(String(error)));
	page.on('response', (response) => {
		if (response.status() >= 400) seen.push(`${response.status()} ${response.url()}`);
	});
	return seen;
}
