import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod/v4';
import type { Sandbox } from '../../../sandbox/src/sandbox.ts';
import { EVENT_SCHEMAS, type EventKind } from '../../../sandbox/src/journal/sandbox-event.ts';
import { control, sendOne } from './client.ts';
import { ownSandbox } from './own.ts';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await ownSandbox();
});

interface Told {
	id: string;
	event: EventKind;
	// eslint-disable-next-line @typescript-eslint/no-explicit-any
	data: any;
}

/** Listens as a browser does, until it has been told enough; `begin` runs once it listens. */
async function listen(
	lastEventId: string | null,
	isEnough: (told: Told[]) => boolean,
	begin: () => Promise<unknown> = async () => undefined,
): Promise<Told[]> {
	const stop = new AbortController();
	const headers: Record<string, string> =
		lastEventId === null ? {} : { 'last-event-id': lastEventId };
	const response = await fetch(`${sandbox.pageUrl}/_sandbox/events`, {
		headers,
		signal: stop.signal,
	});
	expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
	const told: Told[] = [];
	let rest = '';
	const begun = begin();
	const decoder = new TextDecoder();
	for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
		const text = decoder.decode(chunk, { stream: true });
		const blocks = (rest + text).split('\n\n');
		rest = blocks.pop() ?? '';
		for (const block of blocks) {
			const lines = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/)));
			if (lines.data) told.push({ ...lines, data: JSON.parse(lines.data) } as Told);
		}
		if (isEnough(told)) break;
	}
	await begun;
	stop.abort();
	return told;
}

/** Held to the schema of its kind. */
function isDescribed(event: EventKind, data: unknown): void {
	const ajv = addFormats.default(new Ajv2020({ strict: true }));
	const schema = z.toJSONSchema(EVENT_SCHEMAS[event], { io: 'output' });
	expect(ajv.validate(schema, data) ? null : ajv.errorsText()).toBeNull();
}

const kinds = (told: Told[]) => told.map(({ event }) => event);

it('tell what happens with its content, as described', async () => {
	let id = '';
	const told = await listen(
		null,
		(so) => new Set(kinds(so)).size >= 4,
		async () => {
			id = await sendOne(sandbox, { type: 'AES' });
			await control(sandbox, `/messages/${id}/deliver`);
		},
	);
	for (const { event, data } of told) isDescribed(event, data);
	const of = (kind: EventKind) =>
		told.filter(({ event }) => event === kind).map(({ data }) => data);
	expect(of('message')).toMatchObject([
		{ id, what: 'send', status: 'SENT' },
		{ id, what: 'deliver', status: 'RECEIVED' },
	]);
	expect(of('request')).toMatchObject([
		{ path: '/messages/bulk_send', status: 201, messageIds: [id] },
	]);
	expect(of('mail')).toMatchObject([{ messageId: id, html: '<p>Good morning</p>' }]);
	expect(of('change').length).toBeGreaterThan(0);
});

it('go on after the last one that was told, and say when some are gone', async () => {
	const first = await listen(
		null,
		(told) => kinds(told).includes('request'),
		() => sendOne(sandbox, {}),
	);
	await sendOne(sandbox, {});
	const resumed = await listen(
		first[0]?.id ?? '',
		(told) => kinds(told).filter((kind) => kind === 'request').length === 2,
	);
	expect(resumed.slice(0, first.length - 1)).toEqual(first.slice(1));
	await control(sandbox, '/reset');
	const [missed] = await listen(first[0]?.id ?? '', (told) => told.length > 0);
	expect(missed?.event).toBe('missed');
});
