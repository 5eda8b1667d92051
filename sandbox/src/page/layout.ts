import { html, type Html } from '../html/html.ts';

const NAME = 'Registered Delivery sandbox';

const PLACES = [
	['/', 'Mails'],
	['/log', 'Log'],
	['/accounts', 'Accounts'],
] as const;

type Place = (typeof PLACES)[number][0];

/** The frame shared by all pages, as that of the receiver's; `title` names the tab, `heading` the page. */
export const layout = (
	here: Place,
	title: string,
	main: Html,
	heading: Html = html`${title}`,
): string =>
	html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>${title} · ${NAME}</title>
				<link rel="icon" href="/page/icon.svg" type="image/svg+xml" />
				<link rel="stylesheet" href="/page/simple.css" />
				<link rel="stylesheet" href="/page/style.css" />
				<link rel="stylesheet" href="/page/sandbox.css" />
				<script type="module" src="/page/script.js"></script>
			</head>
			<body>
				<header>
					<h1><img src="/page/icon.svg" alt="" width="28" height="28" />${heading}</h1>
					<nav aria-label="Pages">
						${PLACES.map(
							([path, name]) =>
								html`<a href="${path}" ${path === here ? html`aria-current="page"` : null}
									>${name}</a
								>`,
						)}
					</nav>
				</header>
				<main>${main}</main>
				<p class="notice" role="status" aria-live="polite" hidden></p>
			</body>
		</html>`.text.replaceAll(/\n\t+/g, '\n');
