import type { Response } from 'express';
import { html } from './html.ts';

/** Links download, or open tabs that are not sandboxed in their turn: pages there could send no form. */
export const FRAME_SANDBOX = 'allow-popups allow-popups-to-escape-sandbox allow-downloads';

// A letter's content is untrusted: no scripts, no requests anywhere, an origin of its own.
const POLICY = [
	"default-src 'none'",
	"style-src 'unsafe-inline'",
	'img-src data:',
	`sandbox ${FRAME_SANDBOX}`,
	"frame-ancestors 'self'",
].join('; ');

/** Sends what is shown in a frame: a letter or a mail, both HTML that others wrote. */
export function sendFramed(response: Response, title: string, content: string): void {
	response.set('Content-Security-Policy', POLICY);
	const head = html`<!doctype html>
		<html lang="en">
			<meta charset="utf-8" />
			<meta name="viewport" content="width=device-width, initial-scale=1" />
			<title>${title}</title>
			<base target="_blank" />
			<style>
				body {
					font:
						16px/1.5 system-ui,
						sans-serif;
					margin: 1rem;
					color: #1c1b19;
					background: #fff;
					overflow-wrap: anywhere;
				}
				img {
					max-width: 100%;
				}
			</style>
		</html>`;
	response.type('html').send(head.text.replace('</html>', '') + content);
}
