/**
 * The header `traceparent` of W3C Trace Context, or null unless it is valid: two hexadecimal digits
 * of version, 32 of trace, 16 of parent and 2 of flags. A version later than 00 may add members.
 */
export function readTraceparent(header: string | string[] | undefined): string | null {
	if (typeof header !== 'string' || header.length > LONGEST) return null;
	const [, version, trace, parent, more] = FORM.exec(header) ?? [];
	if (version === undefined || version === 'ff') return null;
	if (version === '00' && more !== '') return null;
	return isZero(trace) || isZero(parent) ? null : header;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}((?:-[0-9a-z-]*)?)$/;

/** Leaves room for members of later versions. */
const LONGEST = 128;

function isZero(digits = ''): boolean {
	return /^0+$/.test(digits);
}
