import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { AxeResults } from 'axe-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page, a line each. It goes past the page's own policy on scripts. */
export async function barriers(page: Page): Promise<string[]> {
	// The devtools protocol runs it, which no CSP stops; a script element would be.
	const { violations } = (await page.evaluate(`${AXE}; axe.run()`)) as AxeResults;
	return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
