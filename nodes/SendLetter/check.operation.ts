import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { problemLine, type ItemProblem } from '../shared/findings';
import { leadersOf, planBatches } from '../shared/sending/plan';
import { readMailingSettings, type MailingSettings } from './mailingOptions';
import { countLetters, lettersInWords, typesInWords } from './maxLetters';
import { readLetter, type LetterReading } from './readLetter';
import type { LetterEntry } from './sendPosting';

const show = { operation: ['check'] };

export const checkFields: INodeProperties[] = [
	{
		displayName:
			'Nothing is sent, and the service is not asked: this checks what can be known here. The service may still refuse an address, a customer or a payment, and letters that went out earlier under a Send Once Key are counted, though they would not go out again.',
		name: 'checkNotice',
		type: 'notice',
		default: '',
		displayOptions: { show },
	},
	{
		displayName: 'Output',
		name: 'output',
		type: 'options',
		options: [
			{
				name: 'Each Item',
				value: 'items',
				description:
					'The input items with their data and files, each with a field "check" that says what would be sent or what is wrong. Filter on check.ok and pass them on to Send.',
			},
			{
				name: 'Summary',
				value: 'summary',
				description:
					'One item for all: how many letters of which type, what is wrong with which item, and the same as a text to show to whoever approves it',
			},
		],
		default: 'items',
		description: 'What to give out',
		displayOptions: { show },
	},
];

/** What the check says of one item; the field `check` of its output. */
interface Verdict {
	ok: boolean;
	/** `duplicate`: another item has its Send Once Key and sends the letter for both. */
	result: 'ok' | 'duplicate' | 'problem';
	type: string | null;
	/** Letters that would go out for this item: one for each recipient. */
	letters: number;
	/** Which request of the run it would be part of, from 1. */
	request: number | null;
	/** Of a duplicate: the item whose letter it shares. */
	sharesLetterOfItem: number | null;
	problems: ItemProblem[];
}

/** What would become of the whole run. */
interface Totals {
	items: number;
	letters: number;
	byType: Record<string, number>;
	requests: number;
	duplicates: number;
	/** Items that have problems. */
	problems: number;
	maxLetters: number | null;
	tooMany: boolean;
}

/**
 * Checks every item as Send does, and says what would go out. Sends nothing, claims no key, and makes
 * no request. What is wrong with items is its result, so it is never its error.
 */
export async function check(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const input = context.getInputData();
	const readings: LetterReading[] = [];
	for (const [index] of input.entries()) readings.push(await readLetter(context, index));
	const { sharing, maxLetters } = settingsOf(context);
	const { leaders, followers } = leadersOf(readings.flatMap(({ entry }) => entry ?? []));
	const plan = { batches: planBatches(leaders, sharing), followers };
	const verdicts = judge(readings, plan);
	const totals = sumUp(verdicts, plan, maxLetters);
	const text = inWords(verdicts, totals);
	context.addExecutionHints({
		message: text,
		type: isFine(totals) ? 'info' : 'warning',
		location: 'outputPane',
	});
	if (context.getNodeParameter('output', 0, 'items') === 'summary') {
		const problemList = verdicts.flatMap(({ problems }, item) =>
			problems.map((problem) => ({ item, ...problem })),
		);
		const json = { ok: isFine(totals), text, ...totals, problemList };
		return [{ json, pairedItem: input.map((_, item) => ({ item })) }];
	}
	return input.map(({ json, binary }, item) => ({
		json: { ...json, check: { ...verdicts[item], totals } },
		...(binary && { binary }),
		pairedItem: { item },
	}));
}

/** Which letters would go out in which request, and which would not since an earlier one has their key. */
interface Plan {
	batches: LetterEntry[][];
	followers: Array<[follower: LetterEntry, leader: LetterEntry]>;
}

function settingsOf(context: IExecuteFunctions): Pick<MailingSettings, 'sharing' | 'maxLetters'> {
	try {
		return readMailingSettings(context);
	} catch {
		// What is wrong with the options of the first item is among its problems.
		return { sharing: { key: () => null, weight: () => 1, most: null }, maxLetters: null };
	}
}

function judge(readings: LetterReading[], { batches, followers }: Plan): Verdict[] {
	const requests = new Map(
		batches.flatMap((batch, index) => batch.map(({ itemIndex }) => [itemIndex, index + 1])),
	);
	const leaders = new Map(followers.map(([one, leader]) => [one.itemIndex, leader.itemIndex]));
	return readings.map(({ type, entry, problems }, itemIndex) => {
		const leader = leaders.get(itemIndex) ?? null;
		const result = entry === null ? 'problem' : leader === null ? 'ok' : 'duplicate';
		return {
			ok: result === 'ok',
			result,
			type,
			letters: result === 'ok' && entry ? entry.letter.recipients.length : 0,
			request: requests.get(itemIndex) ?? null,
			sharesLetterOfItem: leader,
			problems,
		};
	});
}

function sumUp(verdicts: Verdict[], { batches }: Plan, maxLetters: number | null): Totals {
	const { total, byType } = countLetters(
		verdicts
			.filter(({ ok }) => ok)
			.map(({ type, letters }) => ({ type: String(type), count: letters })),
	);
	const having = (result: Verdict['result']) =>
		verdicts.filter((verdict) => verdict.result === result).length;
	return {
		items: verdicts.length,
		letters: total,
		byType,
		requests: batches.length,
		duplicates: having('duplicate'),
		problems: having('problem'),
		maxLetters,
		tooMany: maxLetters !== null && total > maxLetters,
	};
}

function isFine({ problems, tooMany }: Totals): boolean {
	return problems === 0 && !tooMany;
}

/** Problems a text names; it is for people, and the list beside it has all of them. */
const MOST_NAMED = 10;

function inWords(verdicts: Verdict[], totals: Totals): string {
	const { letters, requests, duplicates, problems, items, maxLetters, tooMany } = totals;
	const types = typesInWords({ total: letters, byType: totals.byType });
	const sentences = [
		letters === 0
			? 'No letter would go out.'
			: `${lettersInWords(letters)} would go out in ${requests === 1 ? '1 request' : `${requests} requests`}: ${types}.`,
	];
	if (tooMany) {
		sentences.push(`That is more than Max Letters (${maxLetters}): Send would refuse all of them.`);
	}
	if (duplicates > 0) {
		sentences.push(
			`Not counted: ${duplicates === 1 ? '1 item' : `${duplicates} items`} with the Send Once Key of an earlier item.`,
		);
	}
	if (problems === 0) return sentences.join(' ');
	const lines = verdicts.flatMap((verdict, item) =>
		verdict.problems.map((problem) => `Item ${item}: ${problemLine(problem)}`),
	);
	const left = lines.length - MOST_NAMED;
	return [
		`${sentences.join(' ')} ${problems} of ${items === 1 ? '1 item' : `${items} items`} ${problems === 1 ? 'has' : 'have'} problems, at which Send stops unless its setting On Error is to continue:`,
		...lines.slice(0, MOST_NAMED),
		...(left > 0 ? [`… and ${left} more.`] : []),
	].join('\n');
}
