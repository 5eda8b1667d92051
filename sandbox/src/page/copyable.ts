import { html, type Html } from '../html/html.ts';

/** A value and a button that copies exactly it; the script takes the text of `.value` beside it. */
export const copyable = (name: string, value: string): Html =>
	html`<span class="copyable"><code class="value">${value}</code>${copyButton(name)}</span>`;

/** A named value in a list; what has several lines is folded. */
export const field = (name: string, value: string): Html =>
	html`<li>
		${value.includes('\n')
			? html`<details>
					<summary>${name}</summary>
					<pre class="value" tabindex="0">${value}</pre>
				</details>`
			: html`<p>${name} <code class="value">${value}</code></p>`}
		${copyButton(name)}
	</li>`;

/** Says to a screen reader what it copies, and when it has. */
const copyButton = (name: string): Html =>
	html`<button type="button" data-copy>
		<span aria-live="polite">Copy</span><span class="unseen"> ${name}</span>
	</button>`;
