import { MAX_ATTACHMENT_BYTES, fieldNames } from '../../../nodes/shared/sending/attachments.ts';
import { transferTimeout } from '../../../nodes/shared/transport/service.ts';

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
	[0, 300_000],
	[1, 301_000],
	[64 * 1024, 301_000],
	[64 * 1024 + 1, 302_000],
	[MAX_ATTACHMENT_BYTES, 300_000 + 4_000_000],
])('%d bytes may take %d ms', (bytes, milliseconds) => {
	expect(transferTimeout(bytes)).toBe(milliseconds);
});
