import type { Locator, Page } from 'playwright-core';

import { OWNER, type StoredWorkflow } from '../n8n/api.ts';

/** Logs the page in to the n8n at this address, as its owner. */
export async function logIn(page: Page, url: string): Promise<void> {
	await page.goto(`${url}/signin`);
	await page.locator('input[name="emailOrLdapLoginId"]').fill(OWNER.email);
	await page.locator('input[name="password"]').fill(OWNER.password);
	await page.getByTestId('form-submit-button').click();
	await page.waitForURL(({ pathname }) => !pathname.startsWith('/signin'));
}

export const canvasNode = (page: Page, name: string): Locator =>
	page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);

/** Opens a workflow, until the canvas has all of its nodes. */
export async function openWorkflow(
	page: Page,
	url: string,
	{ id, nodes }: StoredWorkflow,
): Promise<void> {
	await page.goto(`${url}/workflow/${id}`);
	for (const { name, type } of nodes) {
		if (!type.endsWith('.stickyNote')) await canvasNode(page, name).waitFor();
	}
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
