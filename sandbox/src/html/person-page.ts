import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NextFunction, Request, Response } from 'express';
import { html, Html } from './html.ts';
import { PAGE_FOLDER, SIMPLE_CSS } from './look.ts';
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
				<body class="person">
					<header><h1>${title}</h1></header>
					<main>${content}</main>
				</body>
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

const STYLE = new Html(
	`<style>${[SIMPLE_CSS, join(PAGE_FOLDER, 'style.css'), join(PAGE_FOLDER, 'sandbox.css')]
		.map((file) => readFileSync(file, 'utf8'))
		.join('\n')}</style>`,
);
