import { html } from '../../../webhook-receiver/src/page/html.ts';

it('escapes what would be HTML', () => {
	expect(html`<p title="${'"'}">${`<b>&'`}</p>`.text).toBe(
		'<p title="&quot;">&lt;b&gt;&amp;&#39;</p>',
	);
	expect(html`<p>${[html`<b></b>`, null, 7]}</p>`.text).toBe('<p><b></b>7</p>');
});

it('shows control characters and those that turn the direction of writing', () => {
	const text = 'invoice\u202efdp.exe\u0000\u001b[31m';
	expect(html`${text}`.text).toBe('invoice\\u202efdp.exe\\u0000\\u001b[31m');
	expect(html`${'tab\t, line\n, שלום'}`.text).toBe('tab\t, line\n, שלום');
});
