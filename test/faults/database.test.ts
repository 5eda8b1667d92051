// Faults that a receiver must survive: of PostgreSQL, of the way to it, of the clock. One after the other
// in one process; the table comes last.
import { cleanUp } from '../contract/receiver/harness.ts';
import { clockFaults } from './clock.ts';
import { table } from './figures.ts';
import { halfOpenFaults } from './half-open.ts';
import { postgresFaults } from './postgres.ts';
import { ROUNDS } from './world.ts';

jest.setTimeout(240_000 + ROUNDS * 120_000);
afterEach(cleanUp);
afterAll(() => void process.stdout.write(table()));

describe('PostgreSQL', postgresFaults);
describe('half-open', halfOpenFaults);
describe('clock', clockFaults);
