// What the page knows it asks the receiver's API, as any program could.

/** For as long as the tab is open. Not a cookie: no other site can have a browser send it along. */
const TOKEN = 'receiver-management-token';

export const session = {
	get isOpen() {
		return sessionStorage.getItem(TOKEN) !== null;
	},
	/** @param {string} token */
	open: (token) => sessionStorage.setItem(TOKEN, token),
	close: () => sessionStorage.removeItem(TOKEN),
};

let receiverIsAhead = 0;

/** The receiver's time, to a second, in milliseconds: by it the ages of what it tells are right. */
export const now = () => Date.now() + (receiverIsAhead || 0);

/** An answer other than 2xx, in the receiver's own words. */
export class Refused extends Error {
	/**
	 * @param {number} status
	 * @param {string} message
	 */
	constructor(status, message) {
		super(message);
		this.status = status;
	}
}

/** @typedef {Record<string, string | number | null | undefined>} Query */

/** @param {string} path @param {Query} [query] without those that are empty */
export function pathAt(path, query = {}) {
	const given = Object.entries(query).filter(([, value]) => value != null && value !== '');
	const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
	return given.length === 0 ? path : `${path}?${search}`;
}

/**
 * @param {string} method
 * @param {string} path relative to the page
 * @param {Query} [query]
 * @param {object} [body] sent as JSON
 * @returns {Promise<any>} null for an answer without a body
 */
export async function call(method, path, query, body) {
	const response = await fetch(pathAt(path, query), {
		method,
		headers: {
			// Not `Authorization`: there a browser puts what a proxy in front asks for.
			'x-management-token': sessionStorage.getItem(TOKEN) ?? '',
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
		},
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
		cache: 'no-store',
	});
	receiverIsAhead = Date.parse(response.headers.get('date') ?? '') - Date.now();
	const text = await response.text();
	if (response.ok) return text === '' ? null : JSON.parse(text);
	throw new Refused(
		response.status,
		messageIn(text) ?? `The receiver answered ${response.status}.`,
	);
}

/** @param {string} path @param {Query} [query] */
export const get = (path, query) => call('GET', path, query);

/** @returns {Promise<import('../src/core/pull-contract.ts').ConsumerView[]>} */
export async function allConsumers() {
	const all = [];
	for (let after = ''; ; ) {
		const { data, next } = await get('consumers', { after });
		all.push(...data);
		if (next === null) return all;
		after = next;
	}
}

/** @param {string} text */
function messageIn(text) {
	try {
		return /** @type {{ message?: string }} */ (JSON.parse(text)).message;
	} catch {
		return undefined;
	}
}
