import { bodyProblem, textOf } from '../../../nodes/SendLetter/letterBody.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const isEmpty = (html: string) => bodyProblem(html, false) !== null;

it.each([
	'',
	'<p></p>',
	'<p>&nbsp&#160;&#xA0;&#32;&ensp;</p>',
	'<p>\u200b&#8203;\ufeff</p>',
	'<p>&zwnj;&nbsp;&zwnj;</p>',
	'<p>\u2800\0\u00ad</p>',
	'&#x81;&#7;',
	'</b',
	'<b',
	'<img src=x',
	'&shy<p>',
	'<p title="text>text',
	'</ text>',
	'<![CDATA[a > b]]>',
	'<!-- text -->',
	'<!-- text',
	'<p/title="a > text"></p>',
	'<p lang="de"title="a > text"></p>',
	'<!doctype html>',
	'<?xml version="1.0"?>',
	'<SCRIPT src="x">text</SCRIPT >',
	'<script>text',
	'<script>if (a < b) "</p>text"</script foo>',
	'<style>p { color: red }</style>',
	'<style media="print">p::after { content: "text" }</style>',
	'<p title="a > text"></p>',
	"<p title='a > text'></p>",
	'<p title = "text > text" lang=de></p>',
	'<img alt="text">',
	'<img data-src="https://x.example/a.png">',
	'<!-- <img src="https://x.example/a.png"> -->',
	'<script>"<img src=x>"</script>',
	'<imgs src="x">',
])('[SEND-04][N] %j is empty', (html) => {
	expect(isEmpty(html)).toBe(true);
});

it.each([
	'<p>.</p>',
	'0',
	'&lt;',
	'&euro;',
	'&#0;',
	'&#x110000;',
	'&#xD800;',
	'&#x80;',
	'&foo;',
	'&shy<p>;',
	'<option>x</option>',
	'<textarea>x</textarea>',
	'2 < 3',
	'<3',
	'<img src="https://x.example/a.png">',
	'<IMG SRC=cid:logo>',
	'<img alt="a > b" src="x">',
	'<img/src=x>',
	'<image src="x">',
	'<script>"<!--"</script><p>text</p>',
	'<style><!--</style>text',
	'<script>a</script foo>text',
	'<script>a</script/>text',
	'<p title="<!--">text</p>',
	'<p title="x><!--">text</p>',
	"<p it's>text isn't</p>",
	'<!-->text-->',
	'<!-- a --!>text',
	'<!-- a --> text <!-- b -->',
	'<head><meta charset="utf-8"><body>text</body>',
	'<head-line>text</head-line>',
	'<title>text</title>',
	'<svg><title>text',
	'<o:p>text</o:p>',
	'<script-x>text</script-x>',
	'<noscript>text</noscript>',
	'<template><p>text</p></template>',
	"<p title='a \"b'>text</p>",
	'<p a==">">text</p>',
	'<p title = "a" hidden>text</p>',
])('[SEND-04][N] %j is a letter', (html) => {
	expect(isEmpty(html)).toBe(false);
});

it.each([
	['<p>a&amp;b</p>', 3],
	['<b>a</b><i>b</i>', 2],
	['&#x1F600;&#128512;😀', 3],
	['&lt;&gt;', 2],
	['<p>  a  </p>', 1],
	['a&nbsp;b', 3],
	['<p title="a > b">ab</p>', 2],
])('[AES-03][N] the text of %j has %i characters', (html, length) => {
	expect([...textOf(html)]).toHaveLength(length);
});

// The titles stand beside what they name, some of which is 10,000 characters long.
it.each<[string, string, boolean]>([
	['one character', 'a', false],
	['two', 'ab', true],
	['one emoji', '😀', false],
	['two in two paragraphs', '<p>a</p><p>b</p>', true],
	['10,000', `<p>${'a'.repeat(10_000)}</p>`, true],
	['10,001', `<p>${'a'.repeat(10_001)}</p>`, false],
	['10,000 emoji', '😀'.repeat(10_000), true],
	['10,000 entities', '&amp;'.repeat(10_000), true],
	['10,000 after white space', `${'\n '.repeat(50)}${'a'.repeat(10_000)}`, true],
	['an image alone', '<img src="x">', false],
])('[AES-03][N] tracked mail of %s', (_title, html, isTaken) => {
	expect(bodyProblem(html, true) === null).toBe(isTaken);
});

it.each([
	['a&#0;b', 'a\u{fffd}b'],
	['&#x10FFFF;', '\u{10ffff}'],
	['&#65 &#x42 &#67', 'A B C'],
	['&#x110000;', '\u{fffd}'],
	['&euro;', '\u{fffd}'],
	['<a href=x/?a="b>text</a><a title="c">more</a>', 'textmore'],
	['<a href=http://x.example/?a=b>text</a>', 'text'],
])('[SEND-04][N] the text of %j is %j', (html, text) => {
	expect(textOf(html)).toBe(text);
});

it('[SEND-04][N] says that there is nothing in it', () => {
	expect(bodyProblem('<p></p>', true)).toMatch(/no text and no image/);
});

it('[AES-03][N] says how long the text is', () => {
	expect(bodyProblem('a', true)).toMatch(/2 to 10000 characters; this one has 1/);
});

const blanks = `
	Tab NewLine nbsp NonBreakingSpace ensp emsp emsp13 emsp14 numsp
	puncsp thinsp ThinSpace hairsp VeryThinSpace MediumSpace ThickSpace shy zwnj
	zwj lrm rlm NoBreak ApplyFunction af InvisibleTimes it InvisibleComma
	ic ZeroWidthSpace NegativeVeryThinSpace NegativeThinSpace NegativeMediumSpace NegativeThickSpace
`
	.trim()
	.split(/\s+/)
	.map((name) => `&${name};`);

it.each(blanks)('[SEND-04][N] %s shows nothing', (reference) => {
	expect(isEmpty(reference)).toBe(true);
});

it.each([
	'<',
	'<p ',
	'<!',
	'<!--',
	'<script ',
	'</script ',
	'<script></script ',
	'<p a="',
	'<p a=\'"',
	'<p a="b" ',
	'a=',
	'<img src',
	'<img src="" ',
	'&#',
])('reads 400 KB of %j without effort', (piece) => {
	const letter = piece.repeat(Math.ceil(400_000 / piece.length));
	const start = cpuTime();
	bodyProblem(letter, true);
	expect(cpuTime() - start).toBeLessThan(2000);
});
