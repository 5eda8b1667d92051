// What happens in a storm, and when: nothing but data, the same for the same seed.
import fc from 'fast-check';
import { lookingLike, misleadingText } from '../support/characters.ts';

/**
 * Where a fault takes hold. Within a chapter they begin in this order and end in the opposite one: what
 * is done in n8n's editor needs n8n, and a process that is back needs what it connects to.
 */
export const LAYERS = ['service', 'editor', 'connection', 'process'] as const;
export type Layer = (typeof LAYERS)[number];

/** One fault, with a number of its own that it makes of what it likes. */
export interface Blow {
	fault: string;
	layer: Layer;
	/** 0 to 999. */
	by: number;
}

/** One wave of letters, and what befalls it. */
export interface Chapter {
	letters: Letter[];
	/** Milliseconds from the start of the wave to the first blow. */
	after: number;
	/** Milliseconds until the blows end. */
	away: number;
	blows: Blow[];
}

/** What sends letters: a workflow, one that has the first as its sub-workflow, or that of another account. */
export const SENDERS = ['direct', 'caller', 'reseller'] as const;
export type Sender = (typeof SENDERS)[number];

/** A letter to be sent: its key is its name in every ledger. */
export interface Letter {
	key: string;
	sender: Sender;
	/** LRE, or AES for tracked mail. */
	type: 'AES' | 'LRE';
	/** Its local part decides what the sandbox lets happen. */
	email: string;
	firstname: string;
	/** Whom it is to, as are others: its Customer Reference. */
	person: string;
	/** Its File Reference. */
	reference: string;
	/** Its Send Once Key in several spellings, which all read the same. */
	spellings: string[];
}

const KINDS: ReadonlyArray<{ type: Letter['type']; steering: string }> = [
	...Array.from({ length: 4 }, () => ({ type: 'AES' as const, steering: 'open' })),
	{ type: 'AES', steering: 'fail' },
	{ type: 'AES', steering: 'bounce' },
	{ type: 'AES', steering: 'bounce-then-receive' },
	{ type: 'LRE', steering: 'accept' },
	{ type: 'LRE', steering: 'refuse' },
];

/** Without what Send Letter refuses. */
const sendable = (value: string) => value.replace(/[\0\p{Cs}]/gu, '');
const text = misleadingText().map(sendable);
const longText = misleadingText({ minLength: 100, maxLength: 100 }).map(sendable);

/** How many people the letters are to. */
export const PEOPLE = 40;

/** A letter but for its wave: what is around its key in a reference, and in each spelling of the Send Once Key. */
const kind = fc
	.record({
		kind: fc.constantFrom(...KINDS),
		firstname: text.map((end) => `Ada${end}`),
		person: fc.nat(PEOPLE - 1),
		written: fc.tuple(text, fc.oneof({ weight: 9, arbitrary: text }, longText)),
	})
	.chain(({ kind: { type, steering }, written, ...rest }) => {
		const like = written.map((one) => lookingLike(one).map(sendable));
		const spelling = fc.array(fc.tuple(...like), { minLength: 3, maxLength: 3 });
		return fc.record({ spelling }).map((more) => ({ type, steering, written, ...rest, ...more }));
	});

/** Faults by name, of which a story may be made. */
export type Known = Readonly<Record<string, { layer: Layer }>>;

/** @param chapters how many; a run with a limit of time tells only the first of them */
export function tell(seed: number, chapters: number, perWave: number, known: Known): Chapter[] {
	const people = fc
		.sample(text, { numRuns: PEOPLE, seed })
		.map((name, n) => `Customer ${n}: ${name}`.trim());
	const blow = fc.record({
		fault: fc.constantFrom(...Object.keys(known)),
		by: fc.nat(999),
	});
	const chapter = fc.record({
		sender: fc.constantFrom(...SENDERS),
		kinds: fc.array(kind, { minLength: perWave, maxLength: perWave }),
		after: fc.nat(3_000),
		away: fc.nat(3_000),
		blows: fc.uniqueArray(blow, { minLength: 1, maxLength: 3, selector: ({ fault }) => fault }),
	});
	return fc
		.sample(chapter, { numRuns: chapters, seed })
		.map(({ sender, kinds, blows, ...times }, wave) => ({
			...times,
			letters: kinds
				// The receiver watches letters with the credentials of the other account.
				.filter(({ type }) => sender !== 'reseller' || type === 'AES')
				.map(({ steering, person, written, spelling, ...rest }, n) => {
					const key = `w${wave}-${n}`;
					return {
						...rest,
						key,
						sender,
						email: `${steering}+${key}@storm.example`,
						person: people[person],
						reference: written.join(` [${key}] `).trim(),
						spellings: spelling.map((parts) => parts.join(` [${key}] `)),
					};
				}),
			blows: inOrder(blows.map((one) => ({ ...one, layer: known[one.fault].layer }))),
		}));
}

/** As they begin. */
const inOrder = (blows: Blow[]): Blow[] =>
	blows.toSorted((left, right) => LAYERS.indexOf(left.layer) - LAYERS.indexOf(right.layer));

/** One line a chapter, for people. */
export function retold(chapters: readonly Chapter[]): string[] {
	return chapters.map(({ letters, after, away, blows }, index) => {
		const names = blows.map(({ fault, by }) => `${fault} (${by})`).join(', ');
		return `${index + 1}. ${letters.length} letters by ${letters[0]?.sender}, after ${after} ms for ${away} ms: ${names || 'nothing'}`;
	});
}
