import type { Break } from '../break.ts';

const src = (file: string) => `webhook-receiver/src/${file}.ts`;
const receiver = (file: string) => `contract/receiver/${file}`;

/** What is answered when, who may ask, and what a stop leaves undone. */
export const RECEIVER: Break[] = [
	{
		name: 'an event is acknowledged before it is stored',
		file: src('ingest/route'),
		from: 'await store.ingest(candidates, now, body.length);',
		to: '{ accepted: 1, duplicates: 0, asks: false }; void store.ingest(candidates, now, body.length).catch(() => undefined);',
		test: receiver('durability'),
		title: 'kill -9 under load loses no acknowledged event',
	},
	{
		name: 'an id that nobody signed tells events apart',
		file: src('ingest/route'),
		from: 'signsBody ? request.headers : withoutEventIds(request.headers, reading)',
		to: 'request.headers',
		test: receiver('event-ids'),
	},
	{
		name: 'guesses at the management token are not limited',
		file: src('http/management-token'),
		from: 'guesses.admit(request, response);',
		to: '',
		test: receiver('guessing'),
		title: 'management token ten wrong ones a minute',
	},
	{
		name: 'wrong management tokens are not counted',
		file: src('http/management-token'),
		from: 'guesses.noteWrong(request, response, given);',
		to: '',
		test: receiver('guessing'),
		title: 'management token ten wrong ones a minute',
	},
	{
		name: 'unauthenticated events are not counted as guesses',
		file: src('ingest/authenticated'),
		from: `metrics.countEvents('refused', 1);
				guesses.noteWrong(request, response, null);`,
		to: "metrics.countEvents('refused', 1);",
		test: receiver('guessing'),
		title: 'shared secret ten wrong ones a minute',
	},
	{
		name: 'a holder whose connection is gone keeps its consumer',
		file: src('pull/pulls'),
		from: 'if (gone.aborted) this.lost.add(seatOf(pull));',
		to: '',
		test: receiver('pull-holder'),
		title: 'is free at once when its process is killed',
	},
	{
		name: 'a new event does not end a held pull',
		file: src('pull/pulls'),
		from: "for (const pull of this.open.all()) if (pull.wants(events)) pull.tell('batches');",
		to: '',
		test: receiver('pull'),
		title: 'is held until an event that it wants',
	},
	{
		name: 'a pull that ends keeps the news of wake-ups to itself',
		file: src('pull/pulls'),
		from: "if (pull.isToldOf('wakeUps')) this.onWakeUps(pull.instance);",
		to: '',
		test: receiver('waits'),
		title: 'come once, to as many of the pulls',
	},
	{
		name: 'n8n that leaves keeps its consumer',
		file: src('pull/pulls'),
		from: 'await store.consumers.release(key, request.holder, clock.now());\n\t\tthis.open.forget',
		to: 'this.open.forget',
		test: receiver('pull-holder'),
		title: 'lets go when the workflow is unpublished',
	},
	{
		name: 'a stop cuts held pulls off',
		file: src('pull/pulls'),
		from: 'void endAll(this.open.all());',
		to: '',
		test: receiver('stopping'),
		title: 'a balancer sends elsewhere',
	},
	{
		name: 'a receiver that stops still says that it is ready',
		file: src('operation/health-route'),
		from: "if (parts.isStopping()) throw new HttpError(503, 'stopping', 'The receiver is about to stop.');",
		to: '',
		test: receiver('operating'),
		title: 'while it is about to stop it is not ready',
	},
	{
		name: 'housekeeping does not wait after a jump of the clock',
		file: src('operation/housekeeping'),
		from: 'if (before === null || ahead - before >= STEADY_MS) return PAUSE_MS;',
		to: '',
		test: receiver('durability'),
		title: 'the clock was set forward',
	},
	{
		name: 'what large events leave off a page is out of reach',
		file: src('page/views'),
		from: 'next: isMore ? last.sequence : null',
		to: 'next: isMore ? null : null',
		test: receiver('operator-page'),
		title: 'letter with large events',
	},
];
