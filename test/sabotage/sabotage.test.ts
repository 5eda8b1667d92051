// Every break of the table is noticed: what a deleted test was worth shows here.
import { rm } from 'node:fs/promises';

import { copyRepository, noticedBy } from './run.ts';
import { TABLE } from './table.ts';

jest.setTimeout(25 * 60_000);

let copy: string;

beforeAll(async () => {
	copy = await copyRepository();
});
afterAll(() => rm(copy, { recursive: true, force: true }));

it.each(TABLE)('$test notices: $name', async (one) => {
	expect(await noticedBy(one, copy)).not.toEqual([]);
});
