import type { IDataObject } from 'n8n-workflow';

import type { ListPage } from '../../../webhook-receiver/src/core/list-page';

export interface Page extends ListPage {
	data: IDataObject[];
}

/**
 * What has been read of a list, page by page, while the list changes. New entries push others onto the
 * next page, where they appear again: each counts once, and new ones wait for the next reading. Removed
 * entries pull others onto a page that was read already: one may then be missing, and the list has to be
 * read again. So a list ends once it has as many entries as the service said, and until then every page
 * must bring something new.
 */
export class ListReading {
	readonly entries: IDataObject[] = [];

	/** The page to request, from 1. */
	page = 1;

	isDone = false;

	/** Why something may be missing once it is done; null when nothing is. */
	gap: string | null = null;

	private readonly limit: number;
	private readonly known = new Set<string>();
	/** Entries of all pages so far, repeated ones included. */
	private passed = 0;
	private firstTotal: number | null = null;
	private latestTotal = 0;
	/** The fewest entries, and pages, that the list ever had. */
	private total = Infinity;
	private lastPage = Infinity;

	constructor(limit: number | null) {
		this.limit = limit ?? Infinity;
	}

	/** Takes the requested page. @returns whether it brought anything new, or is the empty end */
	add({ data, total, lastPage }: Page): boolean {
		this.watchChanges(total);
		this.total = Math.min(this.total, total);
		this.lastPage = Math.min(this.lastPage, lastPage);
		const fresh = data.filter((entry) => this.isNew(entry));
		this.entries.push(...fresh.slice(0, this.limit - this.entries.length));
		this.isDone = this.hasEnded(data.length);
		this.passed += data.length;
		this.page += 1;
		return fresh.length > 0 || data.length === 0;
	}

	private watchChanges(total: number): void {
		if (total < this.latestTotal)
			this.gap = 'Entries of the list disappeared while it was being read.';
		this.latestTotal = total;
		this.firstTotal ??= total;
		// The new entries on top have reached this page, and would count for those they pushed on.
		if (total - this.firstTotal > this.passed)
			this.gap = 'The list grew faster than it could be read.';
	}

	private hasEnded(length: number): boolean {
		if (this.entries.length >= this.limit) {
			this.gap = null;
			return true;
		}
		if (this.page < this.lastPage) return false;
		if (this.known.size >= this.total) return true;
		if (length > 0) return false;
		this.gap = `The service reported ${this.total} entries in the list, but returned ${this.known.size}.`;
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
