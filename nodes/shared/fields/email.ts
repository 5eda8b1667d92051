/** Whether a text is one email address and nothing else; the service knows more exactly. */
export function isEmail(text: string): boolean {
	return /^[^\s@]+@[^\s@]+$/.test(text);
}
