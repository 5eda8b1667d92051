import type { ListedEntry } from '../core/list-entry.ts';

// What the delivery service answers to a poll.

/** Why there is no answer of the documented shape. */
export type NoAnswer =
	/** The service rejects the token or certificate. */
	| { kind: 'refused'; problem: string }
	/** The service asks us to wait, possibly saying how long. */
	| { kind: 'busy'; problem: string; retryAfterMs: number | null }
	| { kind: 'failed'; problem: string };

export type ServiceAnswer =
	/** Without the links to evidence: they are short-lived, and anyone who has one can open it. */
	| { kind: 'status'; status: string; evidences: Array<{ eventType: string }> }
	/** The service says this account has no such message (rule READ-03). */
	| { kind: 'message-not-found' }
	| NoAnswer;

export type ListPageAnswer =
	| { kind: 'list-page'; entries: ListedEntry[]; total: number; lastPage: number }
	/** The account manages no customers, or the service rejects the token: both may be a 401. */
	| { kind: 'resellers-only'; problem: string }
	| NoAnswer;
