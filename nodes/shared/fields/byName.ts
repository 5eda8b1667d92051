/**
 * Sorts the options of a field as n8n's lint wants them. Not by `localeCompare`, which would load the
 * rules of a language: 5 ms of the pack's load time.
 */
export function byName(one: { name: string }, other: { name: string }): number {
	return one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1;
}
