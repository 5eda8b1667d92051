// Every fault the receiver must survive (issue of the receiver, "Faults"), one after the other in one
// process, so that no other test disturbs what is measured; the table comes last.
import { cleanUp } from '../contract/receiver/harness.ts';
import { clockFaults } from './clock.ts';
import { deliveryFaults } from './delivery.ts';
import { diskFaults } from './disk.ts';
import { table } from './figures.ts';
import { halfOpenFaults } from './half-open.ts';
import { ingestFaults } from './ingest.ts';
import { killFaults } from './kill.ts';
import { overloadFaults } from './overload.ts';
import { postgresFaults } from './postgres.ts';
import { storyFaults } from './story.ts';
import { ROUNDS } from './world.ts';

jest.setTimeout(240_000 + ROUNDS * 120_000);
afterEach(cleanUp);
afterAll(() => void process.stdout.write(table()));

describe('ingest', ingestFaults);
describe('delivery', deliveryFaults);
describe('disk', diskFaults);
describe('kill', killFaults);
describe('overload', overloadFaults);
describe('PostgreSQL', postgresFaults);
describe('half-open', halfOpenFaults);
describe('clock', clockFaults);
describe('story', storyFaults);
