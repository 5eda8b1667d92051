/** Whether a text is a single email address; the service checks it more strictly. */
export function isEmail(text: string): boolean {
	return /^[^\s@]+@[^\s@]+$/.test(text);
}
