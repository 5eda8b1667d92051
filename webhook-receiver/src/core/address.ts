/**
 * The same for two spellings of an address that mail takes for one: in capitals or not, with a
 * letter's accent composed or apart (NFC), with a domain in Unicode or in Punycode.
 */
export function addressKey(email: string): string {
	const text = email.trim().toLowerCase().normalize('NFC');
	const at = text.lastIndexOf('@') + 1;
	return text.slice(0, at) + asciiDomain(text.slice(at));
}

/** Beyond ASCII, and nothing in it that would make a URL more than its host. */
const UNICODE_HOST = /^(?=.*[^\0-\x7f])[^\0-\x20/?#@:\\[\]%]+$/;

function asciiDomain(domain: string): string {
	const url = UNICODE_HOST.test(domain) ? `http://${domain}` : '';
	return URL.canParse(url) ? new URL(url).hostname : domain;
}
