// Asks before what can't be taken back. The browser's own modal dialog keeps the focus and ends by Escape.
import { nothing, render } from './lit-html.js';
import { html } from './parts.js';

/**
 * @typedef {object} Question
 * @property {string} title what would be done
 * @property {unknown} text what follows from it
 * @property {string} yes label of the button that does it
 * @property {{ label: string, pattern: string, hint: string }} [field] to fill in first
 */

/**
 * @param {Question} question
 * @returns {Promise<string | null>} what the field holds, '' without one; null for no
 */
export function ask({ title, text, yes, field }) {
	const dialog = document.createElement('dialog');
	dialog.setAttribute('aria-labelledby', 'question');
	/** @type {string | null} */
	let answer = null;
	/** @param {SubmitEvent} event */
	const confirm = (event) => {
		event.preventDefault();
		const given = new FormData(/** @type {HTMLFormElement} */ (event.target)).get('field');
		answer = String(given ?? '').trim();
		dialog.close();
	};
	render(
		html`<form @submit=${confirm}>
			<h2 id="question">${title}</h2>
			<p>${text}</p>
			${field === undefined
				? nothing
				: html`<label
						>${field.label}
						<input
							name="field"
							required
							inputmode="numeric"
							autocomplete="off"
							pattern=${field.pattern}
							title=${field.hint}
						/>
					</label>`}
			<button type="button" ?autofocus=${field === undefined} @click=${() => dialog.close()}>
				Cancel
			</button>
			<button>${yes}</button>
		</form>`,
		dialog,
	);
	document.body.append(dialog);
	dialog.showModal();
	return new Promise((resolve) => {
		dialog.addEventListener('close', () => {
			dialog.remove();
			resolve(answer);
		});
	});
}
