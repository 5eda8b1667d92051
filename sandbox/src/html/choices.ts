import { html, type Html } from './html.ts';

/** What a person can answer: the word on the button, and what follows. */
export interface Choice<Answer extends string> {
	answer: Answer;
	label: string;
	follows: string;
}

/** Nobody mistakes one for the other: they stand apart, differ in form and colour, and say what follows. */
export const choicesOf = <Answer extends string>(
	choices: Array<Choice<Answer>>,
	button: (choice: Choice<Answer>) => Html,
): Html =>
	html`<div class="choices">
		${choices.map(
			(choice) =>
				html`<div class="${REFUSING.includes(choice.answer) ? 'refuse' : 'accept'}">
					${button(choice)}
					<p>${choice.follows}</p>
				</div>`,
		)}
	</div>`;

const REFUSING = ['refuse', 'revoke'];
