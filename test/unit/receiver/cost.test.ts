// docs/cost.md counts polls; this counts them again by the policy itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../webhook-receiver/src/config/read-config.ts';
import { observe, watched } from '../../../webhook-receiver/src/core/records.ts';
import { nextPoll } from '../../../webhook-receiver/src/watch/pace.ts';
import type { WatchPace } from '../../../webhook-receiver/src/watch/pace.ts';
import { root } from '../../n8n/folders.ts';

const MINUTE = 60_000;
const HOURS = [1, 24, 3 * 24, 15 * 24, 30 * 24];

const document = readFileSync(join(root, 'docs/cost.md'), 'utf8');
const rows = [...document.matchAll(/^\| `(0s:[^`]+)`[^|]*\|(.+)\|$/gm)].map(
	([, delays = '', cells = '']) => ({ delays, counts: cells.split('|').map(Number) }),
);

test('the table begins with the default', () => {
	expect(paceOf(rows[0]?.delays).delays).toEqual(paceOf(undefined).delays);
	expect(rows).toHaveLength(2);
});

test.each(rows)('polls of a letter with $delays', ({ delays, counts }) => {
	for (const [index, hours] of HOURS.entries()) {
		const counted = polls(paceOf(delays), hours * 60 * MINUTE);
		expect(counted / (counts[index] as number)).toBeCloseTo(1, 1);
	}
});

/** Polls from sending until one sees the outcome; the first sees that the notice went out. */
function polls(pace: WatchPace, outcomeAt: number): number {
	const messageId = '000000000001';
	let record = watched(null, {}, 0);
	let at = 0;
	for (let count = 1; ; count++) {
		at = nextPoll(messageId, record, at, pace);
		if (at > outcomeAt) return count;
		const seen = { kind: 'status' as const, messageId, status: 'SENT', evidences: [] };
		({ record } = observe(record, seen, at, () => ''));
	}
}

function paceOf(delays: string | undefined): WatchPace {
	const config = readConfig({
		MANAGEMENT_TOKEN: 'token-of-the-test',
		INGEST_HMAC_SECRETS: 'secret-of-the-test',
		SERVICE_URL: 'https://service.example',
		SERVICE_TOKEN: 'token-of-the-service',
		...(delays && { WATCH_DELAYS: delays }),
	});
	return { delays: config.WATCH_DELAYS, limitMs: config.WATCH_LIMIT };
}
