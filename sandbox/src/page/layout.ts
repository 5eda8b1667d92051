import { html, type Html } from '../html/html.ts';

type PageName = 'mails' | 'log' | 'accounts';

/** The frame shared by all pages. */
export const layout = (title: string, current: PageName, main: Html): string =>
	html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>${title} · Delivery sandbox</title>
				<link rel="icon" href="/icon.svg" type="image/svg+xml" />
				<link rel="stylesheet" href="/page.css" />
				<script src="/page.js" defer></script>
			</head>
			<body>
				<header class="top">
					<a class="brand" href="/"
						><img src="/icon.svg" alt="" width="28" height="28" />Delivery sandbox</a
					>
					<nav>
						<a href="/" ${aria(current === 'mails')}>Mails</a>
						<a href="/log" ${aria(current === 'log')}>Log</a>
						<a href="/accounts" ${aria(current === 'accounts')}>Accounts</a>
					</nav>
				</header>
				<main>${main}</main>
				<p class="notice" role="status" aria-live="polite" hidden></p>
			</body>
		</html>`.text.replaceAll(/\n\t+/g, '\n');

const aria = (isCurrent: boolean): Html => (isCurrent ? html`aria-current="page"` : html``);
