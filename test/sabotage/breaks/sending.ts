import type { Break } from '../break.ts';

const sending = (file: string) => `nodes/shared/sending/${file}.ts`;

/** What costs money or writes to people goes out once. */
export const SENDING: Break[] = [
	{
		name: 'the ledger is written after the request',
		file: sending('run'),
		from: "for (const entry of entries) this.ledger.write(entry, { state: 'leaving' });",
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
		from: 'if (settlements.size > 0) await this.claims?.settle(settlements);',
		to: '',
		test: 'in-process/send-once-receiver-away',
	},
	{
		name: 'what went before is not looked up',
		file: sending('sendAll'),
		from: 'if (ledger.recall(item) !== null && !isOpen) {',
		to: 'if (ledger.recall(item) !== null && !isOpen && false) {',
		test: 'in-process/ledger',
	},
];
