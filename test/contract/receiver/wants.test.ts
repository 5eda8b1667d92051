// Who gets which events: consumers that want all sorts of things, of one stream of events.
import { ManualClock, cleanUp, start } from './harness.ts';
import { pollService } from './watching/service.ts';

const SECOND = 1_000;
const ID = '000000000123';
const CONSENT = '3f2b8c1e-5d7a-4e9b-8a6c-1f0e2d3c4b5a';

jest.setTimeout(120_000);
afterEach(cleanUp);

/** What a consumer wants, and the events that it gets. */
const ROWS: Array<[string[], object | undefined, string]> = [
	[['*'], undefined, 'opened other accepted'],
	[['*'], {}, 'opened other accepted'],
	[['tracked_mail.opened'], undefined, 'opened'],
	[['tracked_mail.sent', 'tracked_mail.opened'], undefined, 'opened'],
	[['tracked_mail.sent'], undefined, ''],
	[['unknown'], undefined, 'other'],
	// A name that the receiver does not know names nothing.
	[['tracked_mail.sent', 'brand_new'], undefined, ''],
	[['consent.accepted'], undefined, 'accepted'],
	[['consent.refused'], undefined, ''],
	// AES and MT are two spellings of one type.
	[['*'], { messageTypes: ['AES'] }, 'opened'],
	[['*'], { messageTypes: ['LRE', 'MT'] }, 'opened'],
	[['*'], { messageTypes: ['LRE', 'LS'] }, ''],
	[['*'], { statuses: ['SENT', 'OPENED'] }, 'opened'],
	[['*'], { statuses: ['SENT'] }, ''],
	[['*'], { statuses: ['OPENED'], messageTypes: ['LS'] }, ''],
	[['*'], { fileReference: 'F1' }, 'opened'],
	[['*'], { fileReference: 'F2' }, ''],
	[['*'], { customerReference: 'C0' }, 'opened'],
	[['*'], { customerReference: 'C1' }, ''],
	[['*'], { customerReference: 'C0', fileReference: 'F2' }, ''],
	// A filter is of letters: it gives no consent away, and keeps none that is named.
	[['*'], { statuses: ['ACCEPTED'] }, ''],
	[['consent.accepted'], { messageTypes: ['LRE'] }, 'accepted'],
	[['*', 'consent.accepted'], { messageTypes: ['LRE'] }, 'accepted'],
	[['*', 'consent.accepted'], { messageTypes: ['MT'] }, 'opened accepted'],
	[['receiver.attention'], undefined, ''],
];

it('[EVNT-01][EVNT-02][TYPE-06][R] a consumer gets what it wants, by name and by filter', async () => {
	const clock = new ManualClock();
	const service = await pollService(clock.now);
	const consent = { id: CONSENT, state: 'PENDING', createdAt: '2026-01-01T00:00:00Z' };
	service.lists.consents = [consent];
	const env = service.env({ WATCH_RATE_LIMIT: '60000' });
	const receiver = await start({ env, dependencies: { clock } });
	const pull = async (place: number) => {
		const [events, filter] = ROWS[place] ?? [[]];
		const wants = { events, filter, batchSize: 10 };
		const { batches } = await receiver.pulled({ wants, atOnce: 10 }, { key: `n8n~${place}` });
		return batches.flatMap((batch) => batch.events.map(({ type }) => type.split('.').at(-1)));
	};
	for (const place of ROWS.keys()) expect(await pull(place)).toEqual([]);
	clock.advance(SECOND);
	await receiver.atRest();
	const references = { fileReference: 'F1', customerReference: 'C0' };
	await receiver.emit({ event: 'mt_opened', messageId: ID, ...references });
	await receiver.emit({ event: 'brand_new' });
	consent.state = 'ACCEPTED';
	clock.advance(120 * SECOND);
	await receiver.atRest();
	for (const [place, row] of ROWS.entries()) {
		const got = (await pull(place)).join(' ').replace('unknown', 'other');
		expect([row[0], row[1], got]).toEqual(row);
	}
});
