// Await Consent with nothing but n8n.
import type * as Pauses from '../support/short-pauses.ts';
import { awaitConsentBy } from './awaiting-consent.ts';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof Pauses>('../support/short-pauses.ts').withHurriedClock(),
);

awaitConsentBy('n8n', 50_000);
