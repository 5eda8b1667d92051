import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** Creates every identifier, so that a run is exactly repeatable on request. */
export interface Ids {
	/** 12 digits, leading zeros included. */
	messageId(): string;
	uuid(): string;
	short(prefix: string): string;
	token(accountName: string): string;
	/** The counts so far, to continue from after a restart; null if ids are random. */
	counts(): IdCounts | null;
	/** Continues from these counts, so that a restored snapshot goes on as it did before. */
	continueFrom(counts: IdCounts | null): void;
}

export interface IdCounts {
	messages: number;
	others: number;
}

export const randomIds = (): Ids => ({
	messageId: () => String(randomInt(10 ** 12)).padStart(12, '0'),
	uuid: () => randomUUID(),
	short: (prefix) => `${prefix}_${randomBytes(9).toString('base64url')}`,
	token: () => randomBytes(24).toString('base64url'),
	counts: () => null,
	continueFrom: () => undefined,
});

export const countedIds = ({ messages, others }: IdCounts = { messages: 0, others: 0 }): Ids => {
	const next = (length: number) => String(++others).padStart(length, '0');
	return {
		messageId: () => String(++messages).padStart(12, '0'),
		uuid: () => `00000000-0000-4000-8000-${next(12)}`,
		short: (prefix) => `${prefix}_${next(6)}`,
		// A header carries ASCII alone.
		token: (accountName) => `${encodeURIComponent(accountName)}-token`,
		counts: () => ({ messages, others }),
		continueFrom: (counts) => {
			messages = counts?.messages ?? messages;
			others = counts?.others ?? others;
		},
	};
};
