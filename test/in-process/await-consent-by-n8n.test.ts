// Await Consent with nothing but n8n.
import type * as Pauses from '../support/short-pauses.ts';
import { awaitConsentBy, consentsOf, contacts, credentials, run } from './awaiting-consent.ts';
import { errorOf } from './sleeping-n8n.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withHurriedClock(),
);

awaitConsentBy('n8n', 50_000);

it('an n8n that does not accept the API key: nobody is asked', async () => {
	const items = contacts('ada');
	const execution = await run({ items, credentials: credentials({ n8nApiKey: 'wrong' }) });
	expect(errorOf(execution)).toMatchObject({
		message: expect.stringContaining('is not accepted'),
		description: expect.stringContaining('Nobody was asked'),
	});
	expect(await consentsOf(items[0])).toEqual([]);
});
