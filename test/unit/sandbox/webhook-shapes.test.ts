import { SHAPES, type WebhookEndpoint } from '../../../sandbox/src/webhooks/webhook-endpoint.ts';
import { webhookRequest, type WebhookEvent } from '../../../sandbox/src/webhooks/webhook-shapes.ts';
import { readEvents } from '../../../webhook-receiver/src/core/read-events.ts';
import { parseBody } from '../../../webhook-receiver/src/core/parse-body.ts';

const event: WebhookEvent = {
	id: 'wh_1',
	event: 'aes_received',
	messageId: '000000000123',
	type: 'AES',
	timestamp: '2026-01-31T09:30:00.000Z',
	data: { fileReference: 'F-1', customerReference: null },
};

const read = (events: WebhookEvent[], look: Partial<WebhookEndpoint>) => {
	const { headers, body } = webhookRequest(events, look);
	const lower = Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
	);
	const raws = parseBody(Buffer.from(body), lower['content-type']);
	return readEvents(raws, lower).map(({ event }) => event);
};

const looks = SHAPES.flatMap((shape) =>
	(['snake', 'dotted', 'dashed-upper'] as const).flatMap((naming) =>
		(['json', 'form'] as const).map((encoding) => ({ shape, naming, encoding })),
	),
);

it.each(looks)(
	'[TYPE-06][S] $shape, $naming, $encoding says what happened to which message',
	(look) => {
		for (const spelling of ['AES', 'MT'] as const) {
			const [found] = read([event], { ...look, spelling });
			expect(found).toMatchObject({ type: 'tracked_mail.received', messageId: '000000000123' });
			expect(found?.sourceType).toMatch(spelling === 'AES' ? /^aes/i : /^mt/i);
			const hasTime = look.shape !== 'minimal';
			expect(found?.occurredAt).toBe(hasTime ? event.timestamp : null);
		}
	},
);

it.each(['array', 'events'] as const)('several events go as %s', (as) => {
	const second = { ...event, id: 'wh_2', event: 'aes_opened' };
	const found = read([event, second], { shape: 'typed', batch: { size: 2, as } });
	expect(found.map(({ type }) => type)).toEqual(['tracked_mail.received', 'tracked_mail.opened']);
});

it('only tracked mail is respelled', () => {
	const lre = { ...event, event: 'lre_failed', type: 'LRE' };
	expect(read([lre], { spelling: 'MT' })[0]?.type).toBe('lre.failed');
});
