/** The interface's paths without a parameter: as in OpenAPI, they come before those with one. */
export const LITERAL_PATHS = [
	'/messages/bulk_send',
	'/messages/bulk_reschedule',
	'/messages/bulk_cancel',
	'/messages/resend',
	'/customers/bulk_store',
	'/customers',
	'/consents/bulkStore',
	'/consents',
];

/** Whether a path is one of these, `/messages/{id}`: braces match any id, `*` any segment. */
export function matchesPath(pattern: string, path: string): boolean {
	const wanted = pattern.split('/');
	const given = path.split('/');
	const isLiteral = LITERAL_PATHS.includes(path);
	const isAny = (part: string) => part === '*' || (!isLiteral && /^\{.*\}$/.test(part));
	return (
		wanted.length === given.length &&
		wanted.every((part, index) => isAny(part) || part === given[index])
	);
}
