// Bodies that somebody might post to the receiver, each with a mark in it to be found by.

const deep = (levels: number, inside: string) => '['.repeat(levels) + inside + ']'.repeat(levels);

export const HOSTILE: Record<string, (mark: string) => string> = {
	'no JSON': (mark) => `<events>${mark}</events>`,
	'JSON that breaks off': (mark) => `{"event":"aes_opened","mark":"${mark}"`,
	'two documents': (mark) => `{"mark":"${mark}"}{"mark":"${mark}"}`,
	'only a text': (mark) => JSON.stringify(mark),
	'nested too deeply': (mark) => deep(20_000, `"${mark}"`),
	'lists in lists': (mark) => `{"events":${deep(5, `{"event":"aes_opened","mark":"${mark}"}`)}}`,
	'a prototype': (mark) =>
		`{"__proto__":{"event":"aes_opened"},"constructor":{"prototype":{}},"mark":"${mark}"}`,
	'characters that no store takes': (mark) =>
		`{"event":"aes\\u0000opened","id":"\\ud800","fileReference":"\\u0000","mark":"${mark}"}`,
	'numbers beyond any': (mark) =>
		`{"event":"unheard of","messageId":1e400,"timestamp":-1e308,"mark":"${mark}"}`,
	'an id of 12 other digits': (mark) =>
		`{"event":"aes_opened","messageId":"١٢٣٤٥٦٧٨٩٠١٢","mark":"${mark}"}`,
	'the same member twice': (mark) =>
		`{"event":"aes_sent","event":null,"mark":"${mark}","mark":"${mark}"}`,
	'a long text': (mark) => `{"event":"${'x'.repeat(500_000)}","mark":"${mark}"}`,
	'a hundred events of no letter': (mark) =>
		JSON.stringify(Array.from({ length: 100 }, (_, n) => ({ event: `${mark} ${n}`, mark }))),
};
