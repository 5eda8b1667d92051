import type { NextFunction, Request, Response } from 'express';
import { html, type Html } from './html.ts';
import { ServiceError } from '../http/errors.ts';

/**
 * Answers with a page for whoever followed a link in a mail. It runs no script and loads nothing, so
 * it is the same at both addresses of the sandbox.
 */
export function sendPersonPage(response: Response, title: string, content: Html): void {
	response.set('Content-Security-Policy', POLICY);
	response.send(
		html`<!doctype html>
			<html lang="en">
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>${title}</title>
				${STYLE}
				<main>
					<h1>${title}</h1>
					${content}
				</main>
			</html>`.text,
	);
}

/**
 * Behind what people open: a browser gets a page, a program the interface's body.
 *
 * @param advice what to do then
 */
export const answerPeople =
	(advice: Html) =>
	(error: unknown, request: Request, response: Response, next: NextFunction): void => {
		const isPerson = request.accepts(['json', 'html']) === 'html';
		if (!(error instanceof ServiceError) || response.headersSent || !isPerson) return next(error);
		response.status(error.status).set('Cache-Control', 'no-store');
		sendPersonPage(response, error.message, advice);
	};

const POLICY = [
	"default-src 'none'",
	"style-src 'unsafe-inline'",
	'img-src data:',
	"form-action 'self'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
].join('; ');

const STYLE = html`<style>
	:root {
		color-scheme: light dark;
		color: light-dark(#22211f, #eceae5);
		background: light-dark(#fffdfa, #15161a);
	}
	a {
		color: light-dark(#2f4b7c, #9db8ec);
	}
	body {
		margin: 0;
		padding: 2rem 1.25rem 4rem;
		font:
			1rem/1.55 system-ui,
			sans-serif;
	}
	main {
		max-width: 38rem;
		margin: 0 auto;
		overflow-wrap: anywhere;
	}
	h1 {
		font:
			600 1.6rem/1.25 Georgia,
			serif;
	}
	.buttons {
		display: flex;
		flex-wrap: wrap;
		gap: 0.75rem;
	}
	button {
		font: inherit;
		font-weight: 600;
		min-height: 2.75rem;
		padding: 0.4rem 1.2rem;
	}
	iframe {
		width: 100%;
		height: 20rem;
		resize: vertical;
		border: 1px solid;
		background: #fff;
		color-scheme: light;
	}
	li {
		padding: 0.25rem 0;
	}
</style>`;
