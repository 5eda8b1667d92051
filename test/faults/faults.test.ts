// Every fault the receiver must survive (issue of the receiver, "Faults"), one after the other in one
// process, so that no other test disturbs what is measured; the table comes last.
import { cleanUp } from '../contract/receiver/harness.ts';
import { deliveryFaults } from './delivery.ts';
import { diskFaults } from './disk.ts';
import { table } from './figures.ts';
import { ingestFaults } from './ingest.ts';
import { killFaults } from './kill.ts';
import { overloadFaults } from './overload.ts';
import { postgresFaults } from './postgres.ts';

jest.setTimeout(240_000);
afterEach(cleanUp);
afterAll(() => void process.stdout.write(table()));

describe('ingest', ingestFaults);
describe('delivery', deliveryFaults);
describe('disk', diskFaults);
describe('kill', killFaults);
describe('overload', overloadFaults);
describe('PostgreSQL', postgresFaults);
