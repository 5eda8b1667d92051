import type { Break } from '../break.ts';

const sending = (file: string) => `nodes/shared/sending/${file}.ts`;

/** What costs money or writes to people goes out once. */
export const SENDING: Break[] = [
	{
		name: 'the ledger is written after the request',
		file: sending('run'),
		from: "for (const entry of entries) entry.fate = { state: 'leaving' };",
		to: '',
		test: 'in-process/ledger',
	},
	{
		name: 'a failure of our own after the request counts as not sent',
		file: sending('run'),
		from: `		} catch (error) {
			return { verdict: 'unknown', error: ownError(error) };`,
		to: `		} catch (error) {
			return { verdict: 'not sent', error: ownError(error) };`,
		test: 'in-process/ledger',
	},
	{
		name: 'a key that was sent under is not settled',
		file: sending('run'),
		from: 'await this.claims.settle(new Map(fates));',
		to: 'void fates;',
		test: 'in-process/key-means-one-letter',
		title: 'answers the same letter',
	},
	{
		name: 'what went before is not looked up',
		file: sending('sendAll'),
		from: 'if (known && !isOpen) {',
		to: 'if (known && !isOpen && false) {',
		test: 'in-process/ledger',
	},
	{
		name: 'each retry of an execution has a ledger of its own',
		file: 'nodes/shared/items/runMemory.ts',
		from: 'const secret = token ??',
		to: 'const secret = randomUUID() ??',
		test: 'in-process/sending-worlds',
	},
	{
		name: 'what this process is sending counts as free',
		file: sending('localClaims'),
		from: 'const free = keys.filter(({ text }) => !held.has(this.name(text)));',
		to: 'const free = [...keys];',
		test: 'in-process/sending-worlds',
	},
	{
		name: 'a key means any letter',
		file: sending('claims'),
		from: 'return differences(before, wanted).length === 0 ? null',
		to: 'return differences(before, wanted).length >= 0 ? null',
		test: 'in-process/key-means-one-letter',
	},
	{
		name: 'an unknown outcome that comes back is sent',
		file: sending('entryErrors'),
		from: '?.code === OUTCOME_UNKNOWN;',
		to: '?.code === null;',
		test: 'in-process/sending-worlds',
	},
	{
		name: 'keys that are too many for one answer fail',
		file: sending('receiverClaims'),
		from: 'if (status === TOO_LARGE && body.claims.length > 1) return null;',
		to: '',
		test: 'in-process/send-once-receiver-away',
		title: 'more kept under them than one answer',
	},
	{
		name: 'claims that got no answer are not given back',
		file: sending('receiverClaims'),
		from: 'await this.free([...this.unanswered].map(([key, holder]) => ({ key, holder })));',
		to: '',
		test: 'in-process/send-once-receiver-away',
	},
];
