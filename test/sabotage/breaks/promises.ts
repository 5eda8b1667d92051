import type { Break } from '../break.ts';

const src = (file: string) => `webhook-receiver/src/${file}.ts`;
const receiver = (file: string) => `contract/receiver/${file}`;

/** What the pages of receiver and sandbox promise, each kept by one line. */
export const PROMISES: Break[] = [
	{
		name: 'an event and a new wait miss each other',
		file: src('wait/put-waits'),
		from: 'database.inTurn((tx) => put(tx, all))',
		to: 'database.transaction((tx) => put(tx as never, all))',
		test: receiver('waits'),
		title: 'miss no event whose commit takes as long',
	},
	{
		name: 'an answer of the service without end is read',
		file: src('watch/service'),
		from: 'maxResponseSize: LARGEST_ANSWER,',
		to: 'maxResponseSize: -1,',
		test: receiver('service-answers'),
		title: 'an answer without end',
	},
	{
		name: 'a poll that a stop breaks off counts as failed',
		file: src('watch/watcher'),
		from: "const isMade = !stopped || answer.kind !== 'failed';",
		to: 'const isMade = true;',
		test: receiver('service-answers'),
		title: 'a poll that a stop breaks off',
	},
	{
		name: 'polling does not wait as long as the service asks',
		file: src('watch/health'),
		from: 'if (answer.retryAfterMs === null) return',
		to: 'return',
		test: receiver('service-answers'),
		title: 'a service that asks to wait',
	},
	{
		name: 'a webhook of the sandbox tells what is not stored',
		file: 'sandbox/src/webhooks/webhooks.ts',
		from: 'this.#hooks.beforeSending();',
		to: '',
		test: 'contract/sandbox/kept-before-told',
	},
];
