import {
	MAX_ATTACHMENT_BYTES,
	fieldNames,
	uploadTimeout,
} from '../../../nodes/shared/attachments.ts';

it.each([
	['', []],
	['  ', []],
	[',', []],
	['data', ['data']],
	[' data , contract ', ['data', 'contract']],
	['data,,contract,', ['data', 'contract']],
	['my file, Ünï_1', ['my file', 'Ünï_1']],
])('the list %j names %j', (list, names) => {
	expect(fieldNames(list)).toEqual(names);
});

it('[SEND-08][N] the most is 250 MB, counted in 1024s', () => {
	expect(MAX_ATTACHMENT_BYTES).toBe(262_144_000);
});

it.each([
	[0, 60_000],
	[1, 61_000],
	[64 * 1024, 61_000],
	[64 * 1024 + 1, 62_000],
	[MAX_ATTACHMENT_BYTES, 60_000 + 4_000_000],
])('%d bytes may take %d ms', (bytes, milliseconds) => {
	expect(uploadTimeout(bytes)).toBe(milliseconds);
});
