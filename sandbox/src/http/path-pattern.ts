/** Whether a path is one of these, `/messages/{id}`: braces or `*` match any segment. */
export function matchesPath(pattern: string, path: string): boolean {
	const wanted = pattern.split('/');
	const given = path.split('/');
	return (
		wanted.length === given.length &&
		wanted.every((part, index) => part === '*' || /^\{.*\}$/.test(part) || part === given[index])
	);
}
