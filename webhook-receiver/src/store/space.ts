export interface StoreSpace {
	/** What the store takes on disk, in bytes. */
	used: number;
	/** What is left on the volume of its file, in bytes; null where only the database server knows. */
	free: number | null;
}
