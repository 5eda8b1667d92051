// The operator page: signs in, finds the view of the address, shows it, and does what buttons say.
import { nothing, render } from './lit-html.js';
import { Refused, call, get, session } from './api.js';
import { ask } from './dialog.js';
import { html, section, seen, time } from './parts.js';
import { letters } from './letters.js';
import * as lists from './lists.js';
import { message } from './message.js';
import { overview } from './overview.js';
import { workflow, workflows } from './workflows.js';

/**
 * What a view is given: where it is, and how its buttons act.
 *
 * @typedef {object} Frame
 * @property {string[]} path parts of the address after the view's name
 * @property {URLSearchParams} query
 * @property {Promise<{ data: import('../src/capabilities/attention/route.ts').AttentionView[], deadWakeUps: number }>} attention
 *   what needs a person now
 * @property {(method: string, path: string, said: (answer: any) => unknown, how?: How) => (event: MouseEvent) => Promise<void>} act
 *   calls the API, then shows what it did and the view anew
 */

/**
 * @typedef {object} How
 * @property {import('./api.js').Query} [query]
 * @property {import('./dialog.js').Question} [question] asked first, where it can't be taken back
 * @property {(filledIn: string) => object} [body]
 */

/** @typedef {{ title: string | null, content: unknown }} Shown */
/** @typedef {(frame: Frame) => Shown | Promise<Shown>} View */

/** By the first part of the address. @type {Array<[string, View]>} */
const PAGES = [
	['', overview],
	['workflows', (frame) => (frame.path.length > 0 ? workflow(frame) : workflows(frame))],
	['events', lists.events],
	['batches', lists.batches],
	['attention', lists.attention],
	['letters', (frame) => (frame.path.length > 0 ? message(frame) : letters(frame))],
];
const VIEWS = new Map(PAGES);

const PLACES = [
	['#/', 'Overview'],
	['#/letters', 'Letters'],
	['#/events', 'Events'],
	['#/batches', 'Batches'],
	['#/batches?state=dead', 'Dead'],
	['#/attention', 'Attention'],
];

const REFRESH_MS = 10_000;
const NAME = 'Registered Delivery receiver';
const ICON = html`<img src="page/icon.svg" alt="" width="28" height="28" />`;

/** Only the newest request for a view counts, however late an earlier one is answered. */
let asked = 0;
/** Whether what it asks for is another page than is shown, though it may only have been asked for anew. */
let isAnother = false;
/** What is shown, and how much needs a person: stays when the receiver does not answer. */
/** @type {Shown} */
let shown = { title: null, content: nothing };
let needed = 0;
/** The time of the sandbox by which the receiver rehearses; null in earnest. @type {string | null} */
let rehearsedAt = null;
/** What the last button did, and where: shown until the address changes. */
/** @type {{ words: unknown, at: string }} */
let said = { words: '', at: '' };
/** Whether a button still asks, or acts. */
let isBusy = false;

/** @param {{ isNew: boolean }} how whether the address has changed, as opposed to what is there */
async function show({ isNew }) {
	const mine = ++asked;
	isAnother ||= isNew;
	if (location.hash !== said.at) said = { words: '', at: '' };
	if (!session.isOpen) return showSignIn('');
	const [place = '', search = ''] = location.hash.slice(2).split('?');
	const [name = '', ...path] = partsOf(place);
	const attention = get('attention');
	const query = new URLSearchParams(search);
	const view = VIEWS.get(name) ?? nowhere;
	let fault = '';
	try {
		const [found, { data }, clock] = await Promise.all([
			view({ path, query, attention, act }),
			attention,
			get('clock'),
		]);
		if (mine !== asked) return;
		shown = found;
		needed = data.length;
		rehearsedAt = clock.of === 'service' ? clock.now : null;
	} catch (error) {
		if (mine !== asked) return;
		if (isUnauthorized(error)) return signOut(error.message);
		fault = wordsOf(error);
		if (isAnother) shown = { title: 'This can not be shown', content: nothing };
	}
	showView(fault);
}

/** Of no view, if it is no encoded text. @param {string} place @returns {string[]} */
function partsOf(place) {
	try {
		return place.split('/').map(decodeURIComponent);
	} catch {
		return [place];
	}
}

/** @param {string} fault why it is not new; '' if it is */
function showView(fault) {
	const { title, content } = shown;
	const isNew = isAnother;
	isAnother = false;
	const count = needed > 0 ? `(${needed}) ` : '';
	document.title = seen(`${count}${title === null ? '' : `${title} · `}${NAME}`);
	const here = location.hash || '#/';
	render(
		html`<header>
				<h1 tabindex="-1">${ICON}${title ?? NAME}</h1>
				<nav aria-label="Pages">
					${PLACES.map(
						([href, name]) =>
							html`<a href=${href} aria-current=${href === here ? 'page' : 'false'}
								>${name}${name === 'Attention' && needed > 0
									? html`<b class="bad"> ${needed}</b>`
									: nothing}</a
							>`,
					)}
				</nav>
				<form class="search" role="search" @submit=${find}>
					<label for="message">Message ID</label>
					<input
						id="message"
						name="message"
						inputmode="numeric"
						required
						maxlength="40"
						pattern="[0-9\\s]+"
						title="Up to 12 digits"
					/>
					<button>Search</button>
					<button type="button" @click=${() => signOut('')}>Log out</button>
				</form>
			</header>
			<main>
				${rehearsedAt === null
					? nothing
					: html`<p class="notice">
							Rehearsal: the letters are a sandbox's, and so is the time, ${time(rehearsedAt)} UTC.
						</p>`}
				<p class="notice" role="status" ?hidden=${said.words === ''}>${said.words}</p>
				${fault === '' ? nothing : html`<p class="notice bad" role="alert">${fault}</p>`} ${content}
			</main>`,
		document.body,
	);
	if (!isNew) return;
	// Fields hold what the address says.
	for (const form of document.forms) form.reset();
	scrollTo(0, 0);
	// Who can't see the page hears its name.
	document.querySelector('h1')?.focus();
}

/** @param {string} fault */
function showSignIn(fault) {
	document.title = NAME;
	render(
		html`<header><h1>${ICON}${NAME}</h1></header>
			<main>
				${section(
					'Log in',
					html`<form @submit=${signIn}>
						<label
							>Management token
							<input name="token" type="password" autocomplete="current-password" required />
						</label>
						${fault === '' ? nothing : html`<p class="notice bad" role="alert">${fault}</p>`}
						<button>Log in</button>
					</form>`,
				)}
			</main>`,
		document.body,
	);
}

/** @param {SubmitEvent} event */
async function signIn(event) {
	session.open(fieldOf(event, 'token'));
	try {
		await call('GET', 'consumers', { limit: 1 });
	} catch (error) {
		session.close();
		return showSignIn(isUnauthorized(error) ? 'That is not a management token.' : wordsOf(error));
	}
	await show({ isNew: true });
}

/** @param {string} fault why; '' if asked to */
function signOut(fault) {
	session.close();
	asked++;
	showSignIn(fault);
}

/** @param {SubmitEvent} event */
function find(event) {
	const typed = fieldOf(event, 'message').replace(/\s/g, '');
	// As people type or paste it: without leading zeros too.
	location.hash = `#/letters/${typed.padStart(12, '0')}`;
}

/** @param {SubmitEvent} event @param {string} name */
function fieldOf(event, name) {
	event.preventDefault();
	const form = /** @type {HTMLFormElement} */ (event.target);
	const typed = String(new FormData(form).get(name)).trim();
	form.reset();
	return typed;
}

/** @type {Frame['act']} */
function act(method, path, words, { query, question, body } = {}) {
	return async (event) => {
		// The second of a double click may hit what has moved there.
		if (isBusy || event.detail > 1) return;
		isBusy = true;
		try {
			const answer = question === undefined ? '' : await ask(question);
			if (answer === null) return;
			let did;
			try {
				did = await words(await call(method, path, query, body?.(answer)));
			} catch (error) {
				if (isUnauthorized(error)) return signOut(error.message);
				did = wordsOf(error);
			}
			// They may have led elsewhere.
			said = { words: did, at: location.hash };
			await show({ isNew: false });
		} finally {
			isBusy = false;
		}
	};
}

/** Shows what is new, unless that would move something under somebody's hands. */
function refresh() {
	const isAtWork = document.querySelector('form:focus-within, main button:focus-visible');
	if (session.isOpen && !document.hidden && !isBusy && isAtWork === null) {
		void show({ isNew: false });
	}
}

/** @param {unknown} error @returns {error is Refused} */
const isUnauthorized = (error) => error instanceof Refused && error.status === 401;

/** @param {unknown} error */
function wordsOf(error) {
	if (error instanceof Refused) return error.message;
	return `The receiver does not answer: ${/** @type {Error} */ (error).message}`;
}

/** @type {View} */
const nowhere = () => ({ title: 'No such page', content: html`<p><a href="#/">Overview</a></p>` });

setInterval(refresh, REFRESH_MS);
document.addEventListener('visibilitychange', refresh);
addEventListener('hashchange', () => void show({ isNew: true }));
await show({ isNew: true });
