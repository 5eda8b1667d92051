import type { IDataObject } from 'n8n-workflow';

import type { ErrorText } from '../items/perItem';

/** What became of an entry. */
export type Fate =
	/** Its request is about to go out or has gone out; more is not known. */
	| { state: 'leaving' }
	/** The interface's own answer says so. `output` is the JSON of its output item. */
	| { state: 'sent'; output: IDataObject }
	/**
	 * `unknown`: the service may have carried it out, but gave no clear answer. `not sent`: it certainly was
	 * not sent, or the service rejected it.
	 */
	| { state: 'unknown' | 'not sent'; error: ErrorText };

/** By input item, the end of each entry; a single one if the item itself was invalid. */
export type Results = Map<number, Ended[]>;

export type Ended = Exclude<Fate, { state: 'leaving' }>;

/** What claims keep for good; the keys of what was not sent are released. */
export type LastingFate = Extract<Fate, { state: 'sent' }> | { state: 'unknown'; reason: string };
