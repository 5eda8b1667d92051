import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMapping } from '../../../webhook-receiver/src/config/mapping.ts';
import { DEFAULT_MAPPING, normalise } from '../../../webhook-receiver/src/core/normalise.ts';

const folder = mkdtempSync(join(tmpdir(), 'mapping-'));
const file = join(folder, 'mapping.json');
afterAll(() => rmSync(folder, { recursive: true }));

function read(mapping: unknown) {
	writeFileSync(file, JSON.stringify(mapping));
	return readMapping(file);
}

it('reads a file that begins with a BOM', () => {
	writeFileSync(file, '\ufeff{"event":["what"]}');
	expect(readMapping(file).event[0]).toBe('what');
});

it('[EVNT-03][R] an empty mapping changes nothing', () => {
	expect(read({})).toEqual(DEFAULT_MAPPING);
});

const LISTS = [
	...(['wrappers', 'event', 'eventHeaders', 'eventId', 'eventIdHeaders', 'messageId'] as const),
	...(['messageType', 'time', 'fileReference', 'customerReference'] as const),
];

it.each(LISTS)(
	'[EVNT-03][R] what it names for %s is tried before what the receiver knows',
	(list) => {
		expect(read({ [list]: ['x-one', 'x-two'] })).toEqual({
			...DEFAULT_MAPPING,
			[list]: ['x-one', 'x-two', ...DEFAULT_MAPPING[list]],
			...(list.endsWith('Headers') && { namedHeaders: ['x-one', 'x-two'] }),
		});
	},
);

it.each(['eventHeaders', 'eventIdHeaders'] as const)(
	'[EVNT-03][R] %s are found in any case, since Node gives header names in lower case',
	(list) => {
		expect(read({ [list]: ['X-Our-Event'] })[list][0]).toBe('x-our-event');
	},
);

it('[EVNT-03][R] paths keep their case', () => {
	expect(read({ messageId: ['Letter.Number'] }).messageId[0]).toBe('Letter.Number');
});

it('[EVNT-03][R] other names stand for events of the service, known ones still for themselves', () => {
	const reading = read({ event: ['what'], names: { 'mail.read': 'aes_opened' } });
	const type = (raw: object) => normalise(raw, {}, reading).event.type;
	expect(type({ what: 'mail.read' })).toBe('tracked_mail.opened');
	expect(type({ event: 'aes_sent' })).toBe('tracked_mail.sent');
	expect(type({ what: 'mail.lost' })).toBe('unknown');
});

it.each<[string, unknown, RegExp]>([
	['a list it does not know', { messageIds: ['a'] }, /messageIds/],
	['an empty list', { time: [] }, /^time /],
	['an empty path', { time: [''] }, /^time\.0 /],
	['an empty header', { eventHeaders: [''] }, /^eventHeaders\.0 /],
	['an empty list of headers', { eventIdHeaders: [] }, /^eventIdHeaders /],
	['a path that is no text', { event: [7] }, /^event\.0 /],
	['a name for no event', { names: { read: 'aes_red' } }, /^names\.read is not an event/],
	['a list instead of an object', [], /^\S.*object/],
])('[EVNT-03][R] refuses %s and says where', (_title, mapping, words) => {
	expect(() => read(mapping)).toThrow(words);
});

it('[EVNT-03][R] tells all its faults at once', () => {
	expect(() => read({ time: [], names: { read: 'aes_red' } })).toThrow(/^time .+; names\.read /);
});

it('[EVNT-03][R] refuses a file that is missing or no JSON', () => {
	expect(() => readMapping(join(folder, 'none.json'))).toThrow('ENOENT');
	writeFileSync(file, '{');
	expect(() => readMapping(file)).toThrow(SyntaxError);
});
