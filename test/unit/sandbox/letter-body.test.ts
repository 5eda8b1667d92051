import {
	isEmptyBody,
	sanitizeBody,
	textLength,
} from '../../../sandbox/src/messages/letter-body.ts';

it.each([
	['<p>Hi</p><script>alert(1)</script>', '<p>Hi</p>'],
	['<a href="javascript:x()">Hi</a>', '<a>Hi</a>'],
	['<iframe src="x"></iframe><b>Hi</b>', '<b>Hi</b>'],
	['<p style="color:red;position:fixed">Hi</p>', '<p style="color:red">Hi</p>'],
	['<p style="background-color:url(http://x/)">Hi</p>', '<p>Hi</p>'],
	['plain text & more', 'plain text &amp; more'],
])('[SEND-04][S] %s is stored as %s', (sent, stored) => {
	expect(sanitizeBody(sent)).toBe(stored);
});

it.each([
	['', true],
	['<p> &nbsp;<br></p>', true],
	['<style>p{}</style>', true],
	['<p>\u200B</p>', true],
	['<p>&zwnj;&nbsp;&shy;\u2800</p>', true],
	['<option>x</option>', false],
	['<img>', true],
	['<img src="https://x.example/a.png">', false],
	['<p>.</p>', false],
])('[SEND-04][S] whether %j is empty: %s', (sent, empty) => {
	expect(isEmptyBody(sanitizeBody(sent))).toBe(empty);
});

it.each([
	['<p>a&amp;b</p>', 3],
	['<b>a</b><i>b</i>', 2],
	['&lt;&amp;lt;', 5],
	['😀', 1],
	['<p>  a  </p>', 1],
	['&zwnj;a&shy;', 1, 3],
])('[AES-03][S] the text of %j has %i characters that are seen', (body, seen, all = seen) => {
	expect(textLength(body)).toEqual({ seen, all });
});
