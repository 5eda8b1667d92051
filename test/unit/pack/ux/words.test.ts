// The words of n8n's guidelines (docs.n8n.io: "UX guidelines", "Node UI design"): how texts are written that
// a user meets in the editor or in an error. What cannot be followed, and why, is in docs/review.md.
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { credentialTypes, fieldsWithin, nodeDescriptions } from '../../../support/descriptions.ts';
import { sourceTexts, type SourceText } from '../../../support/source-texts.ts';
import { TITLE_CASE } from './cases.ts';

const nodes = nodeDescriptions();
const owners = [...nodes, ...credentialTypes()];
const fields = owners.flatMap(({ displayName, properties }) =>
	fieldsWithin(displayName, properties),
);

/** What a field and its choices are called. */
const names = fields.flatMap(({ place, field }) => [
	...(field.type === 'notice' ? [] : [{ place, text: field.displayName }]),
	...choicesOf(field).map((choice) => ({ place, text: choice.displayName ?? choice.name })),
]);

/** What explains nodes, fields and choices. */
const explanations = [
	...nodes.map((node) => ({ place: node.displayName, text: node.description })),
	...fields.flatMap(({ place, field }) =>
		[
			field.description,
			field.hint,
			field.type === 'notice' ? field.displayName : undefined,
			...choicesOf(field).map(({ description }) => description),
		].map((text) => ({ place, text })),
	),
].filter((one): one is SourceText => one.text !== undefined);

/** The same and all that an error or a hint may say. */
const texts = [...sourceTexts('nodes'), ...sourceTexts('credentials')];

function choicesOf({ type, options = [] }: INodeProperties) {
	if (type === 'collection') return [];
	return options as Array<
		Partial<INodePropertyCollection> & Pick<INodePropertyOptions, 'name' | 'description'>
	>;
}

const matching = (all: SourceText[], pattern: RegExp) =>
	all.filter(({ text }) => pattern.test(text));

it('there is something to look at', () => {
	expect(Math.min(names.length, explanations.length, texts.length)).toBeGreaterThan(100);
});

it('names of fields and choices are in Title Case', () => {
	expect(names.filter(({ text }) => !TITLE_CASE.test(text))).toEqual([]);
});

it('descriptions and hints begin like a sentence', () => {
	expect(explanations.filter(({ text }) => !/^([A-Z0-9']|e\.g\. |n8n )/.test(text))).toEqual([]);
});

it('one sentence has no period at its end, several have', () => {
	const isWrong = ({ text }: SourceText) => {
		const plain = text.replaceAll(/e\.g\. |<[^>]+>/g, '');
		return /[.!?]\s+\S/.test(plain) !== /[.!?]$/.test(plain);
	};
	expect(explanations.filter(isWrong)).toEqual([]);
});

it('fields are named in single quotes, as they are called in the editor', () => {
	const ofSeveralWords = [...new Set(fields.map(({ field }) => field.displayName))].filter(
		(name) => /^\S+( \S+){1,4}$/.test(name) && !/^[^(]*\(/.test(name),
	);
	// An error begins with the name of its field; "the Base URL" is what stands in the field.
	const bare = (name: string) =>
		new RegExp(`(?<!\\w|'|\\b(?:[Tt]he|[Tt]his|no) )${name}(?!\\w|'|(?<=^${name}):)`);
	const isName = ({ text }: SourceText) => names.some((name) => name.text === text);
	const inSentences = texts.filter((one) => !isName(one));
	expect(ofSeveralWords.length).toBeGreaterThan(20);
	const wrong = ofSeveralWords.flatMap((name) =>
		matching(inSentences, bare(name)).map((one) => ({ name, ...one })),
	);
	expect(wrong).toEqual([]);
	const unquoted = /\b(?:option|options|field|fields|parameter|setting|operation) [A-Z][a-z]/;
	expect(matching(texts, unquoted)).toEqual([]);
});

it.each([
	['"email", not "e-mail"', /\be-mail/i],
	['"recipient", not "addressee"', /\baddressee/i],
	['"company", not "organization"', /\borgani[sz]ation/i],
	[
		'the service "rejects"; to refuse is for people',
		/\bservice (?:currently )?(?:refuse[ds]|decline[ds]|denie[ds])/i,
	],
	['"customer", not "client", which is a certificate', /\bclient(?! (?:certificate|key)|'s)/i],
	['"field", not "property" or "binary data"', /\bpropert(?:y|ies)\b|\bbinary data\b/i],
	['"ID", "URL", "JSON", "PDF" in capitals', /\b(?:Id|Ids|Url|Urls|Json|Pdf)\b/],
	['"API token", not "API key", which is of n8n', /(?<!\bn8n )\bAPI key/i],
	['"cancelled" with two l: with one, n8n lists a failure as canceled', /canceled/i],
	['nothing internal: names of variables of the receiver', /\bSERVICE_/],
	['nothing internal: no rule numbers', /\b[A-Z]{3,4}-\d{2}\b/],
])('one word for one thing: %s', (_title, banned) => {
	expect(matching(texts, banned)).toEqual([]);
});

it('says what happened, without the words error, problem, failure and mistake', () => {
	const NAMES = /'On Error'|error output/g;
	const said = texts.map(({ place, text }) => ({ place, text: text.replace(NAMES, '') }));
	expect(matching(said, /\b(?:errors?|problems?|failures?|mistakes?)\b/i)).toEqual([]);
});

it('is in English, in plain characters', () => {
	expect(matching(texts, /[^\x20-\x7e\n–—…’]/)).toEqual([]);
});
