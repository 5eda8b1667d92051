/** The page's script, served as a separate file. Plain DOM; the server renders everything. */
export const SCRIPT = `'use strict';

const notice = document.querySelector('.notice');

document.addEventListener('click', async (event) => {
	const button = event.target.closest('button[data-post]');
	if (!button) return;
	button.disabled = true;
	const response = await fetch(button.dataset.post, {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: button.dataset.body || '{}',
	}).catch((error) => ({ ok: false, json: async () => ({ message: String(error) }) }));
	button.disabled = false;
	notice.hidden = response.ok;
	if (!response.ok) notice.textContent = (await response.json()).message;
});

document.addEventListener('click', async (event) => {
	const button = event.target.closest('button[data-copy]');
	if (!button) return;
	const value = button.parentElement.querySelector('.value');
	for (const { firstElementChild: word } of document.querySelectorAll('[data-copy]')) word.textContent = 'Copy';
	if (await copied(value)) {
		button.firstElementChild.textContent = 'Copied';
		notice.hidden = true;
		return;
	}
	const details = value.closest('details');
	if (details) details.open = true;
	getSelection().selectAllChildren(value);
	say('The browser keeps its clipboard from this page. The value is selected: copy it with the keyboard.');
});

// Browsers have a clipboard only for pages over HTTPS or from this machine. For others there is the
// old command, which hands the text to a listener, so that it is exact.
async function copied({ textContent }) {
	const text = textContent.trim();
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const put = (event) => {
			event.clipboardData.setData('text/plain', text);
			event.preventDefault();
		};
		document.addEventListener('copy', put);
		const isDone = document.execCommand('copy');
		document.removeEventListener('copy', put);
		return isDone;
	}
}

const list = document.getElementById('cards');
const clock = document.getElementById('clock');
// The service's time runs like ours, with an offset, or stands.
let ahead = 0;
let frozenAt = null;
const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

function readClock(page) {
	if (!clock) return;
	const { dateTime, dataset } = page.querySelector('#clock time');
	const now = Date.parse(dateTime);
	ahead = now - Date.now();
	frozenAt = 'frozen' in dataset ? now : null;
	showClock();
}

function showClock() {
	document.querySelector('#clock time').textContent = TIME.format(frozenAt ?? Date.now() + ahead) + ' UTC';
}

let refreshing = false;
let again = false;

async function refresh() {
	again = true;
	if (refreshing) return;
	refreshing = true;
	try {
		while (again) {
			again = false;
			const response = await fetch(location.pathname.replace(/\\/$/, '') + '/fragment' + location.search);
			patch(new DOMParser().parseFromString(await response.text(), 'text/html'));
		}
		notice.hidden = true;
	} catch {
		say('The sandbox does not answer. Waiting for it.');
	} finally {
		refreshing = false;
	}
}

function say(text) {
	notice.textContent = text;
	notice.hidden = false;
}

// Only what differs is replaced: an open letter stays as it is, and so does the reader's place.
function patch(fresh) {
	readClock(fresh);
	const present = new Map([...list.children].map((card) => [card.dataset.key, card]));
	let place = list.firstElementChild;
	for (const card of [...fresh.getElementById('cards').children]) {
		const old = present.get(card.dataset.key);
		present.delete(card.dataset.key);
		if (old && old.dataset.version === card.dataset.version) {
			place = old.nextElementSibling;
		} else if (old) {
			old.replaceWith(card);
			place = card.nextElementSibling;
		} else {
			card.classList.add('new');
			list.insertBefore(card, place);
		}
	}
	for (const gone of present.values()) gone.remove();
	const pages = document.getElementById('pages');
	const freshPages = fresh.getElementById('pages');
	// Replaced only if it differs, so that it keeps the focus.
	if (pages && pages.innerHTML !== freshPages.innerHTML) pages.replaceWith(freshPages);
}

if (clock) {
	readClock(document);
	setInterval(showClock, 1000);
}

if (list) {
	const changes = new EventSource('/_sandbox/events');
	for (const kind of [...list.dataset.follows.split(' '), 'change']) changes.addEventListener(kind, refresh);
	// Also after a lost connection: what changed meanwhile was not announced.
	changes.onopen = refresh;
	changes.onerror = () => say('The sandbox does not answer. Waiting for it.');
}
`;
