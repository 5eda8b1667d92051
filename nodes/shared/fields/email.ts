import { UNSEEN_CLASS, unseenIn } from '../../../webhook-receiver/src/core/unseen';
import { readText, type Reading } from './field';

const LETTER = '\\p{L}\\p{M}\\p{N}';
const WORD = `[${LETTER}!#$%&'*+/=?^_\`{|}~-]+`;
const QUOTED = String.raw`"(?:[ !#-[\]-~]|\\[ -~])+"`;
const LABEL = `[${LETTER}](?:[${LETTER}-]{0,61}[${LETTER}])?`;
const TOP_LEVEL = '(?:[\\p{L}\\p{M}]{2,63}|xn--[a-z\\d-]{1,59})';

/** Dot-atom or quoted string, and a public domain (RFC 5321, RFC 6531), of characters that one sees. */
const ADDRESS = new RegExp(
	`^(?!.*[${UNSEEN_CLASS}])(?<local>${WORD}(?:\\.${WORD})*|${QUOTED})@(?<domain>(?:${LABEL}\\.)+${TOP_LEVEL})$`,
	'iu',
);

/** Beyond 16 bits, and the wide forms of ASCII, which look like it: no mail server takes them. */
const NO_LETTERS = /[\u{10000}-\u{10ffff}\uff01-\uff5e]/u;

/**
 * Reads a single address. No stricter than the service, and no laxer as far as can be told: it would refuse
 * all that go in one request with a wrong one.
 */
export function readEmail(value: unknown): Reading<string> {
	const reading = readText(value);
	if ('problem' in reading) return reading;
	const text = reading.value;
	if (text === '') return { problem: 'It is missing.' };
	const { local, domain } = ADDRESS.exec(text)?.groups ?? {};
	const isAddress =
		local !== undefined &&
		!NO_LETTERS.test(text) &&
		text.length <= 254 &&
		Buffer.byteLength(local) <= 64 &&
		Buffer.byteLength(domain) <= 254;
	if (isAddress) return reading;
	const unseen = unseenIn(text).join(', ');
	const hint = unseen && `: it has ${unseen} in it, which nobody sees. Take it out`;
	return { problem: `It is "${text}", which is not an email address${hint}.` };
}
