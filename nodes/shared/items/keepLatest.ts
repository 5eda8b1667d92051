/** Puts an entry last into a memory, and drops its oldest beyond the limit. */
export function keepLatest<K, V>(memory: Map<K, V>, key: K, value: V, limit: number): void {
	memory.delete(key);
	memory.set(key, value);
	const [oldest] = memory.keys();
	if (memory.size > limit) memory.delete(oldest);
}
