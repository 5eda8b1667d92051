// The script of the pages. The server renders them; this presses, copies, and swaps in what is new.

/** @param {string} selector @param {ParentNode} [within] */
const find = (selector, within = document) =>
	/** @type {HTMLElement | null} */ (within.querySelector(selector));

const notice = /** @type {HTMLElement} */ (find('.notice'));
const list = find('#cards');
const clock = find('#clock time');

/** @param {string} words @param {boolean} [isBad] */
function say(words, isBad = false) {
	notice.textContent = words;
	notice.classList.toggle('bad', isBad);
	notice.hidden = false;
}

/** @param {Event} event @param {string} selector */
const buttonOf = ({ target }, selector) =>
	/** @type {HTMLButtonElement | null} */ (/** @type {Element} */ (target).closest(selector));

document.addEventListener('click', async (event) => {
	const button = buttonOf(event, 'button[data-post]');
	if (!button) return;
	button.disabled = true;
	try {
		const response = await fetch(button.dataset.post ?? '', {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: button.dataset.body ?? '{}',
		});
		const answer = await response.json();
		notice.hidden = true;
		if (!response.ok) say(answer.message, true);
		else if (answer.happened) say(`${button.innerText}: ${inWords(answer.happened)}.`);
	} catch (error) {
		say(String(error), true);
	}
	button.disabled = false;
});

/** @type {Record<string, string>} */
const HAPPENED = {
	send: 'sent',
	deliver: 'delivered',
	open: 'opened',
	bounce: 'bounced',
	accept: 'accepted',
	refuse: 'refused',
	expire: 'expired',
	fail: 'failed',
};

/** @param {Record<string, number>} happened to how many letters */
function inWords(happened) {
	const parts = Object.entries(happened).map(
		([what, count]) => `${count.toLocaleString('en')} ${HAPPENED[what] ?? what}`,
	);
	return parts.join(', ') || 'nothing happened';
}

document.addEventListener('click', async (event) => {
	const button = buttonOf(event, 'button[data-copy]');
	const value = button?.parentElement && find('.value', button.parentElement);
	if (!button || !value) return;
	const isCopied = await copied((value.textContent ?? '').trim());
	for (const word of document.querySelectorAll('[data-copy] > :first-child')) {
		word.textContent = isCopied && word.parentElement === button ? 'Copied' : 'Copy';
	}
	if (isCopied) return;
	const details = value.closest('details');
	if (details) details.open = true;
	getSelection()?.selectAllChildren(value);
	say(
		'The browser keeps its clipboard from this page. The value is selected: copy it with the keyboard.',
	);
});

/**
 * Browsers have a clipboard only for pages over HTTPS or from this machine. For others there is the
 * old command, which hands the text to a listener, so that it is exact.
 *
 * @param {string} text
 */
async function copied(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		/** @param {ClipboardEvent} event */
		const put = (event) => {
			event.clipboardData?.setData('text/plain', text);
			event.preventDefault();
		};
		document.addEventListener('copy', put);
		const isDone = document.execCommand('copy');
		document.removeEventListener('copy', put);
		return isDone;
	}
}

// The service's time runs like ours, with an offset, or stands.
let ahead = 0;
/** @type {number | null} */
let frozenAt = null;
const TIME = new Intl.DateTimeFormat('en-GB', {
	dateStyle: 'medium',
	timeStyle: 'medium',
	timeZone: 'UTC',
});

/** @param {Document} page */
function readClock(page) {
	const time = /** @type {HTMLTimeElement | null} */ (find('#clock time', page));
	if (time === null) return;
	const now = Date.parse(time.dateTime);
	ahead = now - Date.now();
	frozenAt = 'frozen' in time.dataset ? now : null;
	showClock();
}

function showClock() {
	if (clock) clock.textContent = `${TIME.format(frozenAt ?? Date.now() + ahead)} UTC`;
}

let isRefreshing = false;
let isDue = false;

/** @param {HTMLElement} cards */
async function refresh(cards) {
	isDue = true;
	if (isRefreshing) return;
	isRefreshing = true;
	try {
		while (isDue) {
			isDue = false;
			const path = location.pathname.replace(/\/$/, '');
			const response = await fetch(`${path}/fragment${location.search}`);
			const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
			readClock(fresh);
			swapIn(fresh, cards);
		}
		if (notice.dataset.away) notice.hidden = true;
		delete notice.dataset.away;
	} catch {
		sayAway();
	}
	isRefreshing = false;
}

function sayAway() {
	say('The sandbox does not answer. Waiting for it.', true);
	notice.dataset.away = 'yes';
}

/**
 * Only what differs is replaced: an open letter stays as it is, and so does the reader's place.
 *
 * @param {Document} fresh
 * @param {HTMLElement} cards
 */
function swapIn(fresh, cards) {
	const all = /** @param {Element | null} of */ (of) =>
		/** @type {HTMLElement[]} */ ([...(of?.children ?? [])]);
	const present = new Map(all(cards).map((card) => [card.dataset.key, card]));
	let place = cards.firstElementChild;
	for (const card of all(find('#cards', fresh))) {
		const old = present.get(card.dataset.key);
		present.delete(card.dataset.key);
		if (old && old.dataset.version === card.dataset.version) {
			place = old.nextElementSibling;
		} else if (old) {
			old.replaceWith(card);
			place = card.nextElementSibling;
		} else {
			card.classList.add('new');
			cards.insertBefore(card, place);
		}
	}
	for (const gone of present.values()) gone.remove();
	const pages = find('#pages');
	const freshPages = find('#pages', fresh);
	// Replaced only if it differs, so that it keeps the focus.
	if (pages && freshPages && pages.innerHTML !== freshPages.innerHTML)
		pages.replaceWith(freshPages);
}

if (clock) {
	readClock(document);
	setInterval(showClock, 1000);
}

if (list) {
	const follow = () => void refresh(list);
	const news = new EventSource('/_sandbox/events');
	for (const kind of [...(list.dataset.follows ?? '').split(' '), 'change'])
		news.addEventListener(kind, follow);
	// Also after a lost connection: what changed meanwhile was not announced.
	news.onopen = follow;
	news.onerror = sayAway;
}
