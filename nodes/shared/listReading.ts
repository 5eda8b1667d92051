import type { IDataObject } from 'n8n-workflow';

import type { Page } from './paging';

/**
 * What has been read of a list, page by page. Entries that come in meanwhile push others onto the next
 * page, where they come again: each counts once, and what came in is left for the next time. Entries
 * that go pull others onto a page that was read already: then one may be missing, and the list has to be
 * read anew. So the end is where as many are there as the service said, and until then every page must
 * bring something new.
 */
export class ListReading {
	readonly entries: IDataObject[] = [];

	/** The page to ask for, from 1. */
	page = 1;

	isDone = false;

	/** Why something may be missing, once it is done; null when nothing is. */
	gap: string | null = null;

	private readonly limit: number;
	private readonly known = new Set<string>();
	/** Entries of all pages so far, with those that came again. */
	private passed = 0;
	private firstTotal: number | null = null;
	private latestTotal = 0;
	/** The fewest entries, and pages, that the list had at any time. */
	private total = Infinity;
	private lastPage = Infinity;

	constructor(limit: number | null) {
		this.limit = limit ?? Infinity;
	}

	/** Takes the page that was asked for. @returns what is wrong with it, or null */
	add({ data, total, lastPage }: Page): string | null {
		this.watchChanges(total);
		this.total = Math.min(this.total, total);
		this.lastPage = Math.min(this.lastPage, lastPage);
		const fresh = data.filter((entry) => this.isNew(entry));
		this.entries.push(...fresh.slice(0, this.limit - this.entries.length));
		if (data.length > 0 && fresh.length === 0) {
			return `Page ${this.page} of the list brought nothing new: the service does not give the page that it is asked for.`;
		}
		this.isDone = this.hasEnded(data.length);
		this.passed += data.length;
		this.page += 1;
		return null;
	}

	private watchChanges(total: number): void {
		if (total < this.latestTotal) this.gap = 'Entries of the list went while it was read.';
		this.latestTotal = total;
		this.firstTotal ??= total;
		// What came in on top has reached this page, and would be counted for those it pushed on.
		if (total - this.firstTotal > this.passed) this.gap = 'The list grew faster than it was read.';
	}

	private hasEnded(length: number): boolean {
		if (this.entries.length >= this.limit) {
			this.gap = null;
			return true;
		}
		if (this.page < this.lastPage) return false;
		if (this.known.size >= this.total) return true;
		if (length > 0) return false;
		this.gap = `The service said that the list has ${this.total} entries, but gave ${this.known.size}.`;
		return true;
	}

	private isNew(entry: IDataObject): boolean {
		const { id } = entry;
		const hasId = typeof id === 'string' || typeof id === 'number';
		const key = hasId ? `id ${id}` : JSON.stringify(entry);
		if (this.known.has(key)) return false;
		this.known.add(key);
		return true;
	}
}
