// Every break of the table is noticed: what a deleted test was worth shows here.
import { copyRepository, noticedBy } from './run.ts';
import { TABLE } from './table.ts';

jest.setTimeout(15 * 60_000);

beforeAll(copyRepository);

it.each(TABLE)('$test notices: $name', async (one) => {
	expect(await noticedBy(one)).not.toEqual([]);
});
