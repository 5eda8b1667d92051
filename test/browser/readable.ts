/** What a person could not read, or hit with a finger, on the page as it is now. Runs in the page. */
export function unreadable(): string[] {
	const SMALLEST_TEXT = 12;
	const SMALLEST_TARGET = 24;
	const found: string[] = [];
	const isHidden = (element: Element) => {
		const { width, height } = element.getBoundingClientRect();
		return width <= 1 || height <= 1 || getComputedStyle(element).visibility === 'hidden';
	};
	const { scrollWidth, clientWidth } = document.documentElement;
	if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide`);
	for (const element of Array.from(document.body.querySelectorAll('*'))) {
		const text = Array.from(element.childNodes).some(
			({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim(),
		);
		if (isHidden(element)) continue;
		const box = element.getBoundingClientRect();
		const name = `<${element.localName}> ${element.textContent?.trim().slice(0, 40)}`;
		const size = parseFloat(getComputedStyle(element).fontSize);
		if (text && size < SMALLEST_TEXT) found.push(`${name}: text of ${size} px`);
		// What is wider scrolls by itself, within a box of its own.
		const scrolls = element.closest('pre, .scroll, iframe, table');
		if (text && scrolls === null && box.right > clientWidth + 1) found.push(`${name}: cut off`);
		const isTarget = element.matches('button, select, input:not([type="hidden"]), nav a');
		if (isTarget && box.height < SMALLEST_TARGET) found.push(`${name}: ${box.height} px high`);
	}
	return found;
}
