// Faults that a receiver must survive: of its own, and of those that send. One after the other in
// one process; the table comes last.
import { cleanUp } from '../contract/receiver/harness.ts';
import { diskFaults } from './disk.ts';
import { table } from './figures.ts';
import { killFaults } from './kill.ts';
import { overloadFaults } from './overload.ts';
import { twoMachinesFaults } from './two-machines.ts';
import { ROUNDS } from './world.ts';

jest.setTimeout(240_000 + ROUNDS * 120_000);
afterEach(cleanUp);
afterAll(() => void process.stdout.write(table()));

describe('disk', diskFaults);
describe('kill', killFaults);
describe('overload', overloadFaults);
describe('two machines', twoMachinesFaults);
